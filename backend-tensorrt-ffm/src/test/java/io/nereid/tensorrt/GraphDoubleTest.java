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
import io.nereid.config.CudaSettings.GraphSpec;
import io.nereid.config.CudaSettings.Size;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@code optimization.cuda.graphs}, with the doubles, which execute what a graph has captured. */
@UsesDoubles
class GraphDoubleTest {
  private final CudartDouble cuda;

  GraphDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static Size size(int batchSize, long... in) {
    return new Size(batchSize, in.length == 0 ? Map.of() : Map.of("IN", Shape.of(in)));
  }

  private static ServedModel open(PlanText plan, GraphSpec... specs) {
    var cuda = new CudaSettings(true, false, List.of(specs), false);
    return ServedModel.open(underTest(with(bare("m"), cuda), plan, Map.of()));
  }

  private static void requireAnswer(ServedModel served, int rows, float value) {
    var flight = served.execute(List.of(List.of(rows("IN", rows, 4, value))));
    assertThat(flight.output(0, "OUT").shape()).isEqualTo(Shape.of(rows, 4));
    assertThat(floats(flight.output(0, "OUT"))).containsOnly(2 * value);
  }

  private long launches() {
    return cuda.calls("cudaGraphLaunch");
  }

  private long enqueues() {
    return cuda.calls("IExecutionContext_enqueueV3");
  }

  @Test
  void anExecutionIsCapturedWhenItsShapesAndBuffersOccurAgain() {
    try (var served = open(doubling(4))) {
      for (int i = 0; i < 4; i++) { // two in each slot: plain, then plain and captured
        requireAnswer(served, 3, i);
      }
      assertThat(launches()).isZero();
      assertThat(cuda.live("graph executables")).isEqualTo(2);
      long enqueues = enqueues();

      for (int i = 0; i < 10; i++) {
        requireAnswer(served, 3, i);
      }

      assertThat(launches()).isEqualTo(10);
      assertThat(enqueues()).isEqualTo(enqueues);
    }
  }

  @Test
  void otherShapesAreEnqueuedAndThenCapturedThemselves() {
    try (var served = open(doubling(4))) {
      for (int round = 0; round < 4; round++) {
        for (int rows = 8; rows > 0; rows--) {
          requireAnswer(served, rows, rows * 10 + round);
        }
      }
      assertThat(launches()).isPositive();
    }
  }

  @Test
  void moreShapesThanGraphsAreKeptDoNotReplaceEachOtherAllTheTime() {
    var random = new Random(1);
    var plan = TestPlans.identity(DataType.FP32);
    try (var served = open(plan)) {
      for (int i = 0; i < 3000; i++) {
        int size = i == 0 ? 60 : 1 + random.nextInt(60); // with two buffers 120 graphs
        served.execute(List.of(List.of(floats("IN", Shape.of(size), new float[size]))));
      }

      assertThat(cuda.live("graph executables")).isEqualTo(64);
      assertThat(cuda.calls("cudaStreamBeginCapture")).isBetween(65L, 64L + 3000 / 256);
      assertThat(launches()).isGreaterThan(1000);
    }
  }

  @Test
  void buffersThatGrowMakeNewGraphs() {
    try (var served = open(doubling(4))) {
      for (int i = 0; i < 8; i++) {
        requireAnswer(served, 1, i);
      }
      for (int i = 0; i < 4; i++) {
        requireAnswer(served, 8, i);
      }
      for (int i = 0; i < 8; i++) {
        requireAnswer(served, 1, i);
      }
    }
  }

  @Test
  void withSpecificationsOnlyTheirShapesAreCaptured() {
    try (var served = open(doubling(4), new GraphSpec(size(2, 4), Optional.empty()))) {
      for (int i = 0; i < 8; i++) {
        requireAnswer(served, 3, i);
      }
      assertThat(cuda.live("graph executables")).isZero();
      for (int i = 0; i < 8; i++) {
        requireAnswer(served, 2, i);
      }
      assertThat(launches()).isEqualTo(4);
    }
  }

  @Test
  void aBatchAboveTheLowerBoundIsFilledUpToTheGraph() {
    var spec = new GraphSpec(size(8), Optional.of(size(5)));
    try (var served = open(doubling(4), spec)) {
      for (int i = 0; i < 12; i++) {
        requireAnswer(served, 5 + i % 4, i);
      }
      assertThat(launches()).isEqualTo(8);
      assertThat(cuda.live("graph executables")).isEqualTo(2);

      requireAnswer(served, 4, 1);
      assertThat(launches()).isEqualTo(8);
    }
  }

  @Test
  void engineWithoutRowsHaveSpecificationsOfBatchSizeZero() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, -1)
            .range("IN", 0, Shape.of(1), Shape.of(8), Shape.of(64))
            .output("OUT", DataType.FP32, "scale IN 2 0", -1);
    var cudaSettings =
        new CudaSettings(true, false, List.of(new GraphSpec(size(0, 16), Optional.empty())), false);
    var config =
        bare("m")
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(-1))));
    try (var served = ServedModel.open(underTest(with(config, cudaSettings), plan, Map.of()))) {
      for (int i = 0; i < 8; i++) {
        var in = floats("IN", Shape.of(16), new float[16]);
        assertThat(floats(served.execute(List.of(List.of(in))).output(0, "OUT")))
            .hasSize(16)
            .containsOnly(0);
      }
      assertThat(launches()).isEqualTo(4);
    }
  }

  @Test
  void enginesWhoseOutputShapesDependOnDataAreNeverCaptured() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, 4)
            .output("OUT", DataType.INT64, "nonzero IN", 1, -1);
    try (var served = open(plan)) {
      for (int i = 0; i < 8; i++) {
        var in = floats("IN", Shape.of(4), 0, 0, 0, 1);
        assertThat(served.execute(List.of(List.of(in))).output(0, "OUT").shape())
            .isEqualTo(Shape.of(1, 1));
      }
      assertThat(cuda.calls("cudaStreamBeginCapture")).isZero();
    }
  }

  @Test
  void anExecutionThatCannotBeCapturedIsEnqueued() {
    try (var served = open(doubling(4))) {
      cuda.fail("cudaStreamEndCapture", 0, 1, 901); // cudaErrorStreamCaptureInvalidated
      for (int i = 0; i < 12; i++) {
        requireAnswer(served, 3, i);
      }
      assertThat(launches()).isZero();
    }
  }

  @Test
  void rejectsSpecificationsThatContradictTheConfiguration() {
    var tooLarge = new GraphSpec(size(9), Optional.empty());
    assertThatThrownBy(() -> open(doubling(4), tooLarge).close())
        .hasMessage(
            "model 'm': graph spec expects 'batch_size' to be >= 1 and <= 8, got 9 and lower bound"
                + " 9");
    var reversed = new GraphSpec(size(2), Optional.of(size(3)));
    assertThatThrownBy(() -> open(doubling(4), reversed).close())
        .hasMessage(
            "model 'm': graph lower bound spec expects 'batch_size' to be <= graph spec"
                + " 'batch_size' 2, got 3");
    var incomplete = new GraphSpec(size(4, 4), Optional.of(size(3)));
    assertThatThrownBy(() -> open(doubling(4), incomplete).close())
        .hasMessage("model 'm': graph lower bound spec expects shape for input 'IN'");
  }

  @Test
  void aRunningGraphIsNotOvertakenByTheNextBatch() {
    try (var served = open(doubling(4))) {
      for (int i = 0; i < 4; i++) {
        requireAnswer(served, 2, i);
      }
      cuda.setOperationsPerQuery(0);
      var first = served.start(served.batch(List.of(List.of(rows("IN", 2, 4, 1)))));
      var second = served.start(served.batch(List.of(List.of(rows("IN", 2, 4, 5)))));
      served.instance().finish();
      served.instance().finish();

      assertThat(launches()).isEqualTo(2);
      assertThat(floats(first.output(0, "OUT"))).containsOnly(2);
      assertThat(floats(second.output(0, "OUT"))).containsOnly(10);
    }
  }
}
