package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.CudaSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Batches in flight, on the double of libcudart, whose streams run when they are queried. */
@UsesDoubles
class PipelineDoubleTest {
  private final CudartDouble cuda;

  PipelineDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ServedModel open() {
    return ServedModel.open(underTest("m", doubling(4)));
  }

  private static ModelConfig eager(boolean eager) {
    var optimization =
        new OptimizationSettings(
            0,
            Priority.MAX,
            List.of(),
            List.of(),
            new CudaSettings(false, true, List.of(), true),
            true,
            true,
            0,
            eager);
    return with(bare("m"), optimization);
  }

  @Test
  void startsABatchWhileTheOneBeforeIsInFlight() {
    cuda.setOperationsPerQuery(0);
    try (var served = open()) {
      var first = served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      var second = served.start(served.batch(List.of(List.of(rows("IN", 2, 4, 5)))));
      assertThat(served.instance().isFinished()).isFalse();

      served.instance().finish();
      served.instance().finish();

      assertThat(floats(first.output(0, "OUT"))).containsOnly(2).hasSize(4);
      assertThat(floats(second.output(0, "OUT"))).containsOnly(10).hasSize(8);
    }
  }

  @Test
  void eachBatchKeepsItsOutputsWhileLaterOnesRun() {
    try (var served = open()) {
      var flights = new ServedModel.Flight[20];
      flights[0] = served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 0)))));
      for (int i = 1; i < flights.length; i++) {
        flights[i] = served.start(served.batch(List.of(List.of(rows("IN", 1 + i % 8, 4, i)))));
        served.instance().finish();
      }
      served.instance().finish();

      for (int i = 0; i < flights.length; i++) {
        assertThat(floats(flights[i].output(0, "OUT"))).containsOnly(2 * i);
      }
    }
  }

  @Test
  void waitsForNothingToStart() {
    cuda.setOperationsPerQuery(0);
    try (var served = open()) {
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      assertThat(cuda.calls("cudaDeviceSynchronize")).isZero();
      assertThat(served.instance().isFinished()).isFalse();
      served.instance().finish();
      served.instance().finish();
    }
  }

  @Test
  void takesTheNextBatchOnceTheInputsOfTheLastAreConsumed() {
    cuda.setOperationsPerQuery(1);
    try (var served = open()) {
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      assertThat(served.instance().canStart()).isFalse();
      while (!served.instance().canStart()) {
        // each query lets the device go one operation further
      }
      assertThat(served.instance().isFinished()).isFalse();
      assertThat(served.instance().canStart()).isTrue();
      served.instance().finish();
    }
  }

  @Test
  void takesTheNextBatchAtOnceWithEagerBatching() {
    cuda.setOperationsPerQuery(0);
    try (var served = ServedModel.open(underTest(eager(true), doubling(4), Map.of()))) {
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      assertThat(served.instance().canStart()).isTrue();
      served.instance().finish();
    }
    try (var served = ServedModel.open(underTest(eager(false), doubling(4), Map.of()))) {
      served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      assertThat(served.instance().canStart()).isFalse();
      served.instance().finish();
    }
  }

  @Test
  void aCancelledBatchStopsBeforeItIsCopied() {
    try (var served = open()) {
      var batch = served.batch(List.of(List.of(rows("IN", 1, 4, 1))));
      batch.cancel();
      long copies = cuda.calls("cudaMemcpyAsync");

      assertThatThrownBy(() -> served.start(batch))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED));
      assertThat(cuda.calls("cudaMemcpyAsync")).isEqualTo(copies);
    }
  }

  @Test
  void aBatchThatIsCancelledInFlightIsWaitedFor() {
    try (var served = open()) {
      var cancelled = served.start(served.batch(List.of(List.of(rows("IN", 1, 4, 1)))));
      cancelled.batch().cancel();
      assertThatThrownBy(served.instance()::finish)
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED));

      var next = served.execute(List.of(List.of(rows("IN", 1, 4, 3))));
      assertThat(floats(next.output(0, "OUT"))).containsOnly(6);
    }
  }

  @Test
  void aRequestOfAnotherShapeFailsAlone() {
    try (var served = open()) {
      var flight =
          served.execute(
              List.of(
                  List.of(rows("IN", 1, 4, 1)),
                  List.of(rows("IN", 2, 3, 7)),
                  List.of(rows("IN", 1, 4, 2))));

      assertThat(floats(flight.output(0, "OUT"))).containsOnly(2);
      assertThat(flight.failure(1))
          .hasMessage("model 'm', input 'IN': shape [2,3] in a batch of shape [1,4]");
      assertThat(floats(flight.output(2, "OUT"))).containsOnly(4);
    }
  }

  @Test
  void rejectsABatchThatIsTooLarge() {
    try (var served = open()) {
      assertThatThrownBy(() -> served.execute(List.of(List.of(rows("IN", 9, 4, 1)))))
          .hasMessage("batch size 9 for 'm', max allowed is 8");
    }
  }
}
