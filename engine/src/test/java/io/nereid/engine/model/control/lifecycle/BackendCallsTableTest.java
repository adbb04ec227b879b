package io.nereid.engine.model.control.lifecycle;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.SharedDeviceMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The guide's table of the calls of the server to a backend has a row for each. */
class BackendCallsTableTest {
  /** Tests of rows of the guide's table that are not in the other classes of this package. */
  private static final Map<String, String> OTHER_CALLS =
      Map.ofEntries(
          entry("BackendProvider.name", "backend.BackendCatalogTest#failsWhenAProviderHasNoName"),
          entry(
              "BackendProvider.aliases",
              "backend.BackendCatalogTest#failsWhenAProviderCannotTellItsAliases"),
          entry(
              "BackendProvider.check",
              "backend.BackendCatalogTest#aBackendWhoseCheckDoesNotReturnIsUnavailable"),
          entry(
              "BackendProvider.sharesDeviceMemory",
              "backend.BackendCatalogTest#aProviderThatDoesNotTellWhetherItSharesMemoryIsPassedOver"),
          entry(
              "Backend.runsCodeOf",
              "model.lint.LintedBackendTest#aBackendThatDoesNotTellWhetherALoadRunsCodeIsAFinding"),
          entry(
              "Backend.openSharedMemory",
              "backend.GuardedBackendTest#callsOfMemoryOfClientsThatThrowAreFailures"),
          entry(
              "SharedDeviceMemory.read",
              "backend.GuardedBackendTest#callsOfMemoryOfClientsThatThrowAreFailures"),
          entry(
              "SharedDeviceMemory.write",
              "backend.GuardedBackendTest#callsOfMemoryOfClientsThatThrowAreFailures"),
          entry(
              "SharedDeviceMemory.close",
              "backend.GuardedBackendTest#callsOfMemoryOfClientsThatThrowAreFailures"),
          entry(
              "HostAllocator.allocate",
              "backend.GuardedBackendTest#anAllocationThatReturnsNullOrThrowsIsAFailure"),
          entry(
              "HostAllocator.free",
              "backend.GuardedBackendTest#memoryThatCannotBeFreedIsALineOfTheLog"),
          entry(
              "Results.give", "execution.batch.OutputMemoryTest#aReleaseThatThrowsIsALineOfTheLog"),
          entry("Batch.onCancel", "execution.batch.BatchTest#anActionThatThrowsIsALineOfTheLog"),
          entry(
              "DetachedRequest.onCancel",
              "execution.DetachedOperationTest#anActionThatThrowsIsALineOfTheLog"));

  /** The last name in quotes of each row's first cell, and the limit in its third. */
  private static Map<String, String> rows() throws IOException {
    String page = Files.readString(Path.of("../docs/writing-a-backend.md"));
    int start = page.indexOf("## When a backend fails");
    String section = page.substring(start, page.indexOf("\n## ", start + 1));
    return Pattern.compile(
            "^\\| (?:the action of |`release` of )?`([\\w.]+)`[^|]* \\| [^|]+ \\| ([^|]+) \\|",
            Pattern.MULTILINE)
        .matcher(section)
        .results()
        .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
  }

  @Test
  void theTableOfTheGuideHasEveryCall() throws IOException {
    Set<String> calls =
        Arrays.stream(SpiCall.values()).map(SpiCall::method).collect(Collectors.toSet());
    calls.addAll(OTHER_CALLS.keySet());

    assertThat(rows().keySet()).isEqualTo(calls);
  }

  @Test
  void theTableOfTheGuideHasEveryMethodOfTheContract() throws IOException {
    Set<String> methods =
        Stream.of(
                BackendProvider.class,
                Backend.class,
                Model.class,
                ModelInstance.class,
                PipelinedInstance.class,
                BatchingStrategy.class,
                HostAllocator.class,
                SharedDeviceMemory.class)
            .flatMap(type ->
                Arrays.stream(type.getDeclaredMethods())
                    .filter(method -> !method.isSynthetic())
                    .map(method -> type.getSimpleName() + "." + method.getName()))
            .collect(Collectors.toSet());
    methods.remove("PipelinedInstance.execute"); // calls start and finish

    assertThat(rows().keySet()).containsAll(methods);
  }

  @ParameterizedTest
  @EnumSource(SpiCall.class)
  void theTableOfTheGuideSaysWhichCallsTheLimitOfLoadsBounds(SpiCall call) throws IOException {
    boolean isBounded = call.when() == When.LOAD || call.when() == When.UNLOAD;

    assertThat("load".equals(rows().get(call.method()))).isEqualTo(isBounded);
  }

  @Test
  void theTestsOfOtherCallsExist() throws ReflectiveOperationException {
    for (String test : OTHER_CALLS.values()) {
      String[] parts = test.split("#", -1);

      assertThat(Class.forName("io.nereid.engine." + parts[0]).getDeclaredMethods())
          .as(test)
          .anyMatch(method -> method.getName().equals(parts[1]));
    }
  }
}
