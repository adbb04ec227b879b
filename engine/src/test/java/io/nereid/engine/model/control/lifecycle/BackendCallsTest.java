package io.nereid.engine.model.control.lifecycle;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.ModelRuntime;
import io.nereid.engine.model.config.ConfigLimits;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.engine.model.lint.FindingWriter;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What becomes of each call of the server to a backend that throws, returns null or does not
 * return; and that other models, probes and statistics do not notice.
 */
class BackendCallsTest extends LifecycleTests {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String BAD = "bad";

  /** The calls that lint makes. */
  private static final List<@Nullable Object> LINTED =
      Arrays.asList(
          SpiCall.OPEN_BACKEND,
          SpiCall.COMPLETE,
          SpiCall.WARNINGS,
          SpiCall.INSTANCE_COUNT,
          SpiCall.GPUS);

  /** The requests to the good model so far. */
  private long successes;

  @Override
  protected ControlSettings control() {
    return new ControlSettings(
        ControlMode.EXPLICIT,
        List.of(),
        Duration.ZERO,
        true,
        2,
        0,
        LIMIT,
        true,
        Optional.empty(),
        false,
        ConfigLimits.DEFAULT);
  }

  @BeforeEach
  void loadAGoodModel() {
    repository.model("good", 1).model("other", 1);
    load("good");
    gate("good").openAll();
  }

  @AfterEach
  @Override
  protected void close() {
    HostileBackend.plan(null);
    super.close();
  }

  /** The calls of that time, each with all that it can do. */
  private static Stream<Arguments> calls(When when, Deed... deeds) {
    return Arrays.stream(SpiCall.values())
        .filter(call -> call.when() == when)
        .flatMap(
            call -> Arrays.stream(deeds).filter(call::can).map(deed -> Arguments.of(call, deed)));
  }

  static Stream<Arguments> loadsThatEnd() {
    return calls(When.LOAD, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL);
  }

  static Stream<Arguments> loadsThatHang() {
    return calls(When.LOAD, Deed.DOES_NOT_RETURN);
  }

  static Stream<Arguments> executions() {
    return Stream.of(When.EXECUTION, When.PIPELINE)
        .flatMap(when -> calls(when, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL));
  }

  static Stream<Arguments> executionsThatHang() {
    return Stream.of(When.EXECUTION, When.PIPELINE)
        .flatMap(when -> calls(when, Deed.DOES_NOT_RETURN));
  }

  static Stream<Arguments> unloadsThatEnd() {
    return calls(When.UNLOAD, Deed.THROWS, Deed.THROWS_ERROR);
  }

  static Stream<Arguments> unloadsThatHang() {
    return calls(When.UNLOAD, Deed.DOES_NOT_RETURN);
  }

  /** The configuration of a model of the hostile backend, with instances as it counts them. */
  private static String config(SpiCall call) {
    boolean isPipelined = call == SpiCall.DEPTH || call.when() == When.PIPELINE;
    boolean isBatching = call.when() == When.BATCHING;
    return """
    backend: "hostile"
    max_batch_size: %d
    %s
    %s
    %s
    """
        .formatted(
            isBatching ? 4 : 0,
            ControlledRepository.TENSORS,
            isBatching ? "dynamic_batching { max_queue_delay_microseconds: 1000 }" : "",
            isPipelined ? "parameters { key: \"pipelined\" value { string_value: \"\" } }" : "");
  }

  private Plan plan(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    Plan plan = Plan.of(call, deed);
    HostileBackend.plan(plan);
    return plan;
  }

  /** A call that does not return, and what is seen while it does not. */
  private static void hold(Plan plan, Runnable meanwhile) {
    try {
      assertThat(plan.reached().await(60, TimeUnit.SECONDS)).as("the call was made").isTrue();
      meanwhile.run();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    } finally {
      plan.gate().countDown();
    }
  }

  /** The other models serve, load and unload; probes and statistics have their answers. */
  private void assertNoOtherIsHarmed() {
    assertThat(submit("good", "r").await().failure()).isEmpty();
    successes++;
    assertThat(engine.isLive()).isTrue();
    assertThat(engine.isReady("good", OptionalLong.empty())).isTrue();
    boolean _ = engine.isReady();
    assertThat(engine.statistics())
        .filteredOn(statistics -> statistics.model().name().equals("good"))
        .hasSize(1);
    await(() -> statistics("good", 1).requests().success().count() == successes, "the statistics");
    load("other");
    unload("other");
    await(() -> index().contains("other 1 UNAVAILABLE unloaded"), "the unload of another");
  }

  /** The rows of the guide's table whose calls are not those of {@link SpiCall}: their tests. */
  private static final Map<String, String> OTHER_CALLS =
      Map.ofEntries(
          entry("BackendProvider.name", "backend.BackendCatalogTest#failsWhenAProviderHasNoName"),
          entry(
              "BackendProvider.check",
              "backend.BackendCatalogTest#aBackendWhoseCheckDoesNotReturnIsUnavailable"),
          entry(
              "BackendProvider.sharesDeviceMemory",
              "backend.BackendCatalogTest#aProviderThatDoesNotTellWhetherItSharesMemoryIsPassedOver"),
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
          entry("Results.give", "execution.OutputMemoryTest#aReleaseThatThrowsIsALineOfTheLog"),
          entry("Batch.onCancel", "execution.BatchTest#anActionThatThrowsIsALineOfTheLog"),
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

  @ParameterizedTest
  @MethodSource("loadsThatEnd")
  void aLoadFailsWithASentenceThatNamesTheMethod(SpiCall call, Deed deed) {
    var _ = plan(call, deed);

    InferenceException failure = loadFailure(BAD);

    assertThat(failure)
        .hasMessageContaining("load failed for model 'bad'")
        .hasMessageContaining("backend 'hostile'")
        .hasMessageContaining(call == SpiCall.OPEN_BACKEND ? "cannot be loaded" : call.method())
        .hasMessageContaining(
            switch (deed) {
              case THROWS -> "java.lang.IllegalStateException: of a test";
              case THROWS_ERROR -> "class made.Missing is missing: add the jar that has it";
              case RETURNS_NULL -> "null";
              case DOES_NOT_RETURN, CALLS_BACK_FROM_ANOTHER_THREAD -> throw new AssertionError();
            });
    assertThat(index()).first().asString().startsWith("bad 1 UNAVAILABLE ");
    assertNoOtherIsHarmed();
  }

  @ParameterizedTest
  @MethodSource("loadsThatHang")
  void aLoadThatDoesNotReturnFailsInTime(SpiCall call, Deed deed) {
    Plan plan = plan(call, deed);
    Operation load = Operation.start(() -> load(BAD));

    hold(
        plan,
        () -> {
          assertNoOtherIsHarmed();
          clock.advance(LIMIT.minusNanos(1));
          assertThat(index()).first().asString().isEqualTo("bad 1 LOADING");
          clock.advance(Duration.ofNanos(1));
          assertThat(load.failure())
              .hasMessageContaining(
                  "model 'bad' version 1 has not loaded in time: backend 'hostile' has not returned"
                      + " from "
                      + call.method()
                      + "; the limit is --model-load-timeout-secs=60");
          assertThat(index()).first().asString().startsWith("bad 1 UNAVAILABLE Unavailable: ");
          assertNoOtherIsHarmed();
        });
  }

  @Test
  void loadsThatDoNotReturnLeaveTheirPlacesToOthers() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    for (String model : List.of("bad1", "bad2", "bad3")) {
      repository.model(model, config(SpiCall.LOAD), 1);
    }
    List<Operation> loads =
        Stream.of("bad", "bad1", "bad2", "bad3")
            .map(model -> Operation.start(() -> load(model)))
            .toList();

    hold(
        plan,
        () -> {
          for (Operation load : loads) {
            while (!load.isDone()) { // the last two wait for the places of the first two
              clock.advance(LIMIT);
              Thread.onSpinWait();
            }
            assertThat(load.failure()).hasMessageContaining("has not loaded in time");
          }
          assertNoOtherIsHarmed();
        });
  }

  @Test
  void aModelThatWasLoadedTooLateIsClosedAndLoadsAgain() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    Operation load = Operation.start(() -> load(BAD));
    hold(
        plan,
        () -> {
          clock.advance(LIMIT);
          var _ = load.failure();
        });
    HostileBackend.plan(null);

    load(BAD);

    assertThat(index()).contains("bad 1 READY");
  }

  @ParameterizedTest
  @MethodSource("executions")
  void anExecutionFailsAndNoOther(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    var _ = plan(call, deed);

    TestResponse response = submit(BAD, "r");

    Optional<InferenceException> failure = response.await().failure();
    if (call == SpiCall.CAN_START || call == SpiCall.IS_FINISHED) {
      assertThat(failure).isEmpty(); // the batch in flight is finished
    } else if (call == SpiCall.FAILURE_REASON) {
      assertThat(failure.orElseThrow()).hasMessage("lost");
      assertThat(index())
          .first()
          .asString()
          .isEqualTo(
              "bad 1 UNAVAILABLE Unavailable: model 'bad' is unavailable since instance 'bad_0'"
                  + " failed: lost");
    } else {
      assertThat(failure.orElseThrow())
          .satisfies(failed -> assertThat(failed.code()).isEqualTo(StatusCode.INTERNAL))
          .hasMessageContaining("'bad' failed unexpectedly: java.lang.");
    }
    assertNoOtherIsHarmed();
  }

  @ParameterizedTest
  @MethodSource("executionsThatHang")
  void anExecutionThatDoesNotReturnHoldsUpItsModelOnly(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);
    TestResponse response = submit(BAD, "r");
    TestResponse second = submit(BAD, "s");

    hold(plan, this::assertNoOtherIsHarmed);

    HostileBackend.plan(null);
    var _ = response.await();
    var _ = second.await();
  }

  static Stream<Arguments> callsFromOtherThreads() {
    return Stream.of(When.EXECUTION, When.PIPELINE)
        .flatMap(when -> calls(when, Deed.CALLS_BACK_FROM_ANOTHER_THREAD));
  }

  @ParameterizedTest
  @MethodSource("callsFromOtherThreads")
  void callsFromAnotherThreadAreRefusedThereAndHarmNoRequest(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);

    assertThat(submit(BAD, "r").await().failure()).isEmpty();

    assertThat(plan.refusals()).hasSize(3).allMatch(IllegalStateException.class::isInstance);
    assertNoOtherIsHarmed();
  }

  static Stream<Arguments> strategies() {
    return calls(When.BATCHING, Deed.THROWS, Deed.THROWS_ERROR);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void aStrategyThatThrowsEndsTheBatch(SpiCall call, Deed deed) {
    var _ = plan(call, deed);
    load(BAD);

    TestResponse first = submitRow();
    TestResponse second = submitRow();
    clock.advance(Duration.ofMillis(1));

    assertThat(first.await().failure()).isEmpty();
    assertThat(second.await().failure()).isEmpty();
    assertNoOtherIsHarmed();
  }

  static Stream<Arguments> strategiesThatHang() {
    return calls(When.BATCHING, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("strategiesThatHang")
  void aStrategyThatDoesNotReturnHoldsUpNoThreadOfOthers(SpiCall call, Deed deed) {
    Plan plan = plan(call, deed);
    load(BAD);
    TestResponse first = submitRow(); // which would not return
    TestResponse second = submitRow();

    hold(
        plan,
        () -> {
          clock.advance(Duration.ofMillis(1));
          assertNoOtherIsHarmed();
        });

    awaitAdvancing(first);
    awaitAdvancing(second);
  }

  private TestResponse submitRow() {
    return submit(BAD, TestRequest.of("r", TestRequest.fp32("IN0", 1, 1, 4)));
  }

  /** Waits for a response whose batch may wait for its delay. */
  private void awaitAdvancing(TestResponse response) {
    await(
        () -> {
          clock.advance(Duration.ofMillis(1));
          return response.isDone();
        },
        "a response");
  }

  @Test
  void anOverdueExecutionIsSeenUntilItEnds() {
    long limit = Duration.ofSeconds(10).toNanos();
    String sentence =
        "model 'bad': an execution of instance 'bad_0' takes longer than 10 s: backend 'hostile'"
            + " has not returned";
    repository.model(BAD, config(SpiCall.EXECUTE), 1);
    load(BAD);
    Plan plan = plan(SpiCall.EXECUTE, Deed.DOES_NOT_RETURN);
    ModelRuntime runtime = engine.model(BAD, OptionalLong.empty()).runtime();
    TestResponse response = submit(BAD, "r");
    try (var log = new LogCapture("io.nereid.engine.execution.ExecutionWatch")) {
      hold(
          plan,
          () -> {
            runtime.watch(limit);
            clock.advance(Duration.ofNanos(limit - 1));
            runtime.watch(limit);
            assertThat(engine.isReady(BAD, OptionalLong.empty())).isTrue();
            clock.advance(Duration.ofNanos(1));
            runtime.watch(limit);
            runtime.watch(limit);

            assertThat(engine.isReady(BAD, OptionalLong.empty())).isFalse();
            assertThat(index()).contains("bad 1 READY " + sentence);
            assertThat(log.messages()).containsExactly(sentence);
            assertNoOtherIsHarmed();
          });
      assertThat(response.await().failure()).isEmpty();
      await(
          () -> {
            runtime.watch(limit);
            return runtime.overdue().isEmpty();
          },
          "the end");
      assertThat(log.messages()).last().isEqualTo("model 'bad': no execution is overdue any more");
    }
    assertThat(index()).contains("bad 1 READY");
  }

  @ParameterizedTest
  @MethodSource("unloadsThatEnd")
  void aModelWhoseCloseThrowsIsUnloaded(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    var _ = plan(call, deed);

    unload(BAD);

    await(() -> index().contains("bad 1 UNAVAILABLE unloaded"), "the unload");
    assertNoOtherIsHarmed();
  }

  @ParameterizedTest
  @MethodSource("unloadsThatHang")
  void aModelThatDoesNotCloseCountsAsUnloadedInTime(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);
    unload(BAD);

    hold(
        plan,
        () -> {
          assertThat(index()).contains("bad 1 UNLOADING");
          assertNoOtherIsHarmed();
          clock.advance(LIMIT);
          await(() -> index().contains("bad 1 UNAVAILABLE unloaded"), "the unload");
          assertNoOtherIsHarmed();
        });
  }

  @ParameterizedTest
  @MethodSource("memoryUsageDeeds")
  void theStatisticsOfAModelLackWhatItDoesNotTell(Deed deed) {
    repository.model(BAD, config(SpiCall.MEMORY_USAGE), 1);
    load(BAD);
    Plan plan = plan(SpiCall.MEMORY_USAGE, deed);

    assertThat(engine.statistics())
        .filteredOn(statistics -> statistics.model().name().equals(BAD))
        .singleElement()
        .extracting(StatisticsSnapshot::memoryUsage)
        .isEqualTo(List.of());

    hold(plan, this::assertNoOtherIsHarmed);
  }

  static List<Deed> memoryUsageDeeds() {
    return List.of(Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL, Deed.DOES_NOT_RETURN);
  }

  @Test
  void theStatisticsOfAModelHaveWhatItTold() {
    repository.model(BAD, config(SpiCall.MEMORY_USAGE), 1);
    load(BAD);
    await(() -> statistics(BAD, 1).memoryUsage().size() == 1, "the memory usage");
    Plan plan = plan(SpiCall.MEMORY_USAGE, Deed.DOES_NOT_RETURN);

    assertThat(statistics(BAD, 1).memoryUsage()).hasSize(1);

    hold(plan, () -> assertThat(statistics(BAD, 1).memoryUsage()).hasSize(1));
  }

  @ParameterizedTest
  @MethodSource("healthDeeds")
  void aModelThatDoesNotTellItsHealthIsNotReady(Deed deed) {
    repository.model(BAD, config(SpiCall.HEALTHY), 1);
    load(BAD);
    await(() -> engine.isReady(BAD, OptionalLong.empty()), "the model");
    Plan plan = plan(SpiCall.HEALTHY, deed);
    boolean _ = engine.isReady(BAD, OptionalLong.empty());

    hold(
        plan,
        () -> {
          clock.advance(Duration.ofSeconds(1));
          assertThat(engine.isReady(BAD, OptionalLong.empty())).isFalse();
          assertThat(engine.isReady()).isFalse();
          assertNoOtherIsHarmed();
        });
    HostileBackend.plan(null);
    await(() -> engine.isReady(BAD, OptionalLong.empty()), "the model");
  }

  static List<Deed> healthDeeds() {
    return List.of(Deed.THROWS, Deed.THROWS_ERROR, Deed.DOES_NOT_RETURN);
  }

  @Test
  void aCloseOfAllModelsDoesNotWaitForALoadThatDoesNotReturn() {
    Plan plan = plan(SpiCall.LOAD, Deed.DOES_NOT_RETURN);
    Operation load = Operation.start(() -> load(BAD));

    hold(
        plan,
        () -> {
          Operation close = Operation.start(manager::close).awaitWaiting();
          clock.advance(Duration.ofSeconds(5));
          close.join();
          assertThat(load.failure()).hasMessageContaining("Backend.load");
        });
  }

  static Stream<Arguments> lints() {
    return calls(When.LOAD, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL)
        .filter(arguments -> LINTED.contains(arguments.get()[0]));
  }

  @ParameterizedTest
  @MethodSource("lints")
  void lintHasAFindingWithTheMethod(SpiCall call, Deed deed) {
    var _ = plan(call, deed);
    var text = new StringWriter();
    try (var catalog = new BackendCatalog(directory.resolve("no-such-folder"), Map.of())) {
      var settings =
          new LintSettings(
              Optional.empty(), Optional.empty(), true, ConfigLimits.DEFAULT, Optional.of(catalog));

      new FindingWriter(new PrintWriter(text))
          .write(RepositoryLint.run(settings, List.of(directory)));
    }

    assertThat(text.toString())
        .contains("bad/config.pbtxt")
        .contains("error")
        .contains(call == SpiCall.OPEN_BACKEND ? "cannot be loaded" : call.method());
  }

  static Stream<Arguments> stops() {
    return calls(When.STOP, Deed.THROWS, Deed.THROWS_ERROR, Deed.DOES_NOT_RETURN);
  }

  @ParameterizedTest
  @MethodSource("stops")
  void theStopOfAServerGoesOn(SpiCall call, Deed deed) {
    var catalog =
        new BackendCatalog(
            directory.resolve("no-such-folder"), Map.of(), /* maxStop= */ Duration.ofMillis(20));
    Plan plan = plan(call, deed);
    var _ = catalog.open(HostileBackend.NAME);

    catalog.cancelLoads();
    catalog.close();

    hold(plan, () -> {});
  }

  @ParameterizedTest
  @MethodSource("unloadsThatHang")
  void aCloseOfAllModelsDoesNotWaitForOneThatDoesNotClose(SpiCall call, Deed deed) {
    repository.model(BAD, config(call), 1);
    load(BAD);
    Plan plan = plan(call, deed);
    Operation close = Operation.start(manager::close);

    hold(
        plan,
        () -> {
          await(() -> loads("good").copies().getFirst().isClosedOnce(), "the close of the other");
          await(() -> index().contains("good 1 UNAVAILABLE unloaded"), "its end");
          clock.advance(Duration.ofSeconds(5));
          close.join();
        });
  }
}
