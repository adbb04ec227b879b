package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.telemetry.statistics.FailureReason;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Batches;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.DurationSum;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Requests;
import io.nereid.error.InferenceException;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The statistics of executed batches. */
@Timeout(60)
class ExecutionStatisticsTest extends GroupUnderTest {
  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(4, List.of(), List.of(TensorConfig.of("OUT", DataType.INT8, Shape.of(1))));

  private boolean decoupled;

  private void pass(long nanos) {
    clock.advance(Duration.ofNanos(nanos));
  }

  private TestRequest request(long rows) {
    return TestRequest.of(pool, "r", rows);
  }

  /** The statistics after requests that arrived 10 ns ago were executed as one batch. */
  private StatisticsSnapshot executed(FakeModel.Work work, TestRequest... requests) {
    pass(10);
    var shared =
        GroupSettings.of(
            ExecutedModels.of(
                CONFIG.withDecoupled(decoupled),
                FakeModel.executing(work),
                pool,
                clock::nanos,
                statistics));
    try (InstanceGroup group = openDriven(shared, FakeModel.instance("m_0"))) {
      for (TestRequest each : requests) {
        group.instance(0).batch().add(each.pending());
      }
      group.instance(0).dispatch();
    }
    return statistics.snapshot(0, List.of());
  }

  private static DurationSum once(long nanos) {
    return new DurationSum(1, nanos);
  }

  private static Batches batch(long input, long infer, long output) {
    return new Batches(once(input), once(infer), once(output));
  }

  @Test
  void dividesAnExecutionWhereTheBackendSaysSo() {
    var counted =
        executed(
            (_, _, results) -> {
              pass(5);
              results.computeStarted();
              pass(7);
              results.computeEnded();
              pass(3);
            },
            request(2));

    assertThat(counted.requests())
        .isEqualTo(
            new Requests(
                once(25),
                DurationSum.NONE,
                once(10),
                once(5),
                once(7),
                once(3),
                DurationSum.NONE,
                DurationSum.NONE));
    assertThat(counted.batches()).containsExactly(Map.entry(2L, batch(5, 7, 3)));
    assertThat(counted.inferenceCount()).isEqualTo(2);
    assertThat(counted.lastInferenceMillis()).isPositive();
    assertThat(counted.pending()).isZero();
  }

  @Test
  void countsAllAsComputeTimeIfTheBackendSaysNothing() {
    var counted = executed((_, _, _) -> pass(9), request(1));

    assertThat(counted.batches()).containsExactly(Map.entry(1L, batch(0, 9, 0)));
  }

  @Test
  void measuresFromTheFirstStartToTheLastEnd() {
    var counted =
        executed(
            (_, _, results) -> {
              for (int i = 0; i < 2; i++) {
                pass(1);
                results.computeStarted();
                pass(10);
                results.computeEnded();
                pass(100);
              }
            },
            request(1));

    assertThat(counted.batches()).containsExactly(Map.entry(1L, batch(1, 121, 100)));
  }

  @Test
  void countsComputeTimeUntilTheModelFails() {
    var survivor = request(1);
    var counted =
        executed(
            (_, _, results) -> {
              pass(1);
              results.computeStarted();
              results.send(0);
              pass(4);
              throw InferenceException.internal("broken");
            },
            survivor,
            request(1));

    assertThat(counted.batches()).containsExactly(Map.entry(2L, batch(1, 4, 0)));
    assertThat(counted.requests().success().count()).isEqualTo(1);
    assertThat(counted.requests().fail()).isEqualTo(once(15));
  }

  @Test
  void chargesABatchToEachRequestInFull() {
    var counted = executed((_, _, _) -> pass(6), request(1), request(3));

    assertThat(counted.requests().computeInfer()).isEqualTo(new DurationSum(2, 12));
    assertThat(counted.requests().queue()).isEqualTo(new DurationSum(2, 20));
    assertThat(counted.batches()).containsExactly(Map.entry(4L, batch(0, 6, 0)));
    assertThat(counted.inferenceCount()).isEqualTo(4);
    assertThat(counted.executionCount()).isEqualTo(1);
  }

  @Test
  void countsARequestThatTheBackendFailsApartFromTheOthers() {
    var counted =
        executed(
            (_, _, results) -> results.fail(0, InferenceException.invalid("no")),
            request(1),
            request(2));

    assertThat(counted.failures()).containsEntry(FailureReason.BACKEND, 1L);
    assertThat(counted.requests().fail()).isEqualTo(once(10));
    assertThat(counted.requests().success()).isEqualTo(once(10));
    assertThat(counted.inferenceCount()).isEqualTo(2);
    assertThat(counted.batches()).containsOnlyKeys(3L);
  }

  @Test
  void doesNotCountAnExecutionThatFailsForAllRequests() {
    var counted =
        executed(FakeModel.failing(InferenceException.internal("broken")), request(1), request(1));

    assertThat(counted.failures()).containsEntry(FailureReason.BACKEND, 2L);
    assertThat(counted.executionCount()).isZero();
    assertThat(counted.batches()).isEmpty();
    assertThat(counted.lastInferenceMillis()).isZero();
  }

  @Test
  void countsACancelledBatchAsCancelled() {
    var given = request(1);
    given.pending().promise().cancel();
    var counted = executed((_, _, _) -> pass(9), given);

    assertThat(counted.failures()).containsEntry(FailureReason.CANCELED, 1L);
    assertThat(counted.requests().success().count()).isZero();
  }

  @Test
  void countsAnExecutionThatTheBackendCancelsAsCancelled() {
    var counted = executed(FakeModel.failing(InferenceException.cancelled()), request(1));

    assertThat(counted.failures())
        .containsEntry(FailureReason.CANCELED, 1L)
        .containsEntry(FailureReason.BACKEND, 0L);
  }

  @Test
  void measuresADecoupledResponseFromTheOneBeforeIt() {
    decoupled = true;
    var given = request(1);
    var counted =
        executed(
            (_, _, results) -> {
              pass(3);
              give(results);
              results.send(0);
              pass(4);
              give(results);
              results.send(0);
              pass(5);
              results.finish(0);
            },
            given);
    given.outcome().earlier().forEach(InferenceResponse::close);

    assertThat(counted.responses())
        .extracting(StatisticsSnapshot.Responses::success)
        .containsExactly(once(3), once(4), DurationSum.NONE);
    assertThat(counted.responses().getFirst().computeInfer()).isEqualTo(once(3));
    assertThat(counted.responses().getLast().emptyResponse()).isEqualTo(once(5));
    assertThat(counted.requests().success()).isEqualTo(once(22));
    assertThat(counted.inferenceCount()).isEqualTo(1);
  }

  @Test
  void countsFailedAndCancelledResponses() {
    decoupled = true;
    var failing = request(1);
    var abandoned = request(1);
    var counted =
        executed(
            (_, _, results) -> {
              abandoned.pending().promise().cancel();
              pass(3);
              results.fail(0, InferenceException.internal("broken"));
              results.finish(1);
            },
            failing,
            abandoned);

    assertThat(counted.responses()).hasSize(1);
    assertThat(counted.responses().getFirst().fail()).isEqualTo(once(3));
    assertThat(counted.responses().getFirst().cancel()).isEqualTo(once(3));
    assertThat(counted.failures()).containsEntry(FailureReason.BACKEND, 1L);
  }

  private static void give(Results results) {
    results.allocate(0, "OUT", DataType.INT8, Shape.of(1, 1), 1);
  }

  @Test
  void dispatchedRequestsAreNotPending() {
    var seen = new long[1];
    executed(
        (_, _, _) -> seen[0] = statistics.snapshot(5, List.of()).pending(), request(1), request(1));

    assertThat(seen[0]).isEqualTo(3);
    assertThat(statistics.snapshot(5, List.of()).pending()).isEqualTo(5);
  }
}
