package io.nereid.engine.model.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.ModelRuntime;
import io.nereid.engine.model.control.lifecycle.HostileBackend.Plan;
import io.nereid.engine.model.control.lifecycle.SpiCall.Deed;
import io.nereid.engine.model.control.lifecycle.SpiCall.When;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of calls of an execution that throw, return null, call back or do not return. */
class BackendExecutionCallsTest extends BackendCallsTests {
  static Stream<Arguments> executions() {
    return Stream.of(When.EXECUTION, When.PIPELINE)
        .flatMap(when -> calls(when, Deed.THROWS, Deed.THROWS_ERROR, Deed.RETURNS_NULL));
  }

  static Stream<Arguments> executionsThatHang() {
    return Stream.of(When.EXECUTION, When.PIPELINE)
        .flatMap(when -> calls(when, Deed.DOES_NOT_RETURN));
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
            assertThat(log.records().getFirst().getThrown())
                .hasMessage("the thread 'instance bad_0' is at")
                .hasStackTraceContaining("HostileBackend$Instance.execute");
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
}
