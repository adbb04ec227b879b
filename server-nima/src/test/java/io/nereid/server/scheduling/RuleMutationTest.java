package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.nereid.server.mutation.MutatedClasses;
import io.nereid.server.mutation.Mutation;
import io.nereid.tck.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Whether the kit's rules for schedulers can fail: each of the bugs in {@code rule-mutations.txt},
 * planted in a copy of the server, must be found by the rule that stands beside it. (The kit's own
 * tests do that for the rules that a plain scheduler can break.)
 */
class RuleMutationTest {
  private static final Path SOURCES = Path.of("src/main/java/io/nereid").toAbsolutePath();

  private static List<Mutation> mutations() throws IOException {
    try (InputStream table = RuleMutationTest.class.getResourceAsStream("rule-mutations.txt")) {
      return Mutation.parse(
          new String(Objects.requireNonNull(table).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @TestFactory
  Stream<DynamicTest> everyPlantedBugIsFound() throws IOException {
    return mutations().stream()
        .map(mutation ->
            DynamicTest.dynamicTest(
                mutation.finder() + ", " + mutation, () -> assertFound(mutation)));
  }

  private static void assertFound(Mutation mutation) {
    TestExecutionSummary summary =
        assertTimeoutPreemptively(
            Duration.ofSeconds(30), // a bug that never comes to an end is of no use here
            () ->
                rule(
                    mutation.finder(),
                    MutatedClasses.with("io.nereid.server.", mutation, SOURCES)));
    assertThat(summary.getTestsStartedCount()).as("tests of the rule").isPositive();
    assertThat(summary.getFailures())
        .as("failures of the rule")
        .anyMatch(failure -> failure.getException() instanceof AssertionError);
  }

  /** What becomes of a rule's tests by these classes. */
  private static TestExecutionSummary rule(String id, ClassLoader classes) throws Exception {
    var rules =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                selectClass(classes.loadClass(SchedulerTckTest.class.getName())),
                selectClass(classes.loadClass(RateLimiterTckTest.class.getName())))
            .filters(proofsOf(id))
            .build();
    var summary = new SummaryGeneratingListener();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes); // by which backends are found
    try {
      LauncherFactory.create().execute(rules, summary);
    } finally {
      thread.setContextClassLoader(before);
    }
    return summary.getSummary();
  }

  /** The tests that prove a rule. */
  private static PostDiscoveryFilter proofsOf(String id) {
    return test ->
        FilterResult.includedIf(
            test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getJavaMethod())
                .map(method -> rules(method).contains(id))
                .orElse(test.getType() == TestDescriptor.Type.CONTAINER));
  }

  /** The annotation is another class where the server is a copy. */
  private static List<String> rules(Method method) {
    for (var annotation : method.getAnnotations()) {
      Class<?> type = annotation.annotationType();
      if (type.getName().equals(Rule.class.getName())) {
        try {
          return List.of((String[]) type.getMethod("value").invoke(annotation));
        } catch (ReflectiveOperationException impossible) {
          throw new LinkageError(impossible.getMessage(), impossible);
        }
      }
    }
    return List.of();
  }
}
