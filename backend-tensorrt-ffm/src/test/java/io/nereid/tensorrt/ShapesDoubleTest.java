package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.ints;
import static io.nereid.tensorrt.TestPlans.longs;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Profiles, shape tensors, and outputs whose shapes depend on data, with the doubles. */
@UsesDoubles
class ShapesDoubleTest {
  private final CudartDouble cuda;

  ShapesDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  /** Profile 0 is for up to 4 rows, profile 1 for 4 to 16. */
  private static PlanText twoProfiles() {
    return new PlanText()
        .profiles(2)
        .input("IN", DataType.FP32, -1, 4)
        .range("IN", 0, Shape.of(1, 4), Shape.of(1, 4), Shape.of(4, 4))
        .range("IN", 1, Shape.of(4, 4), Shape.of(8, 4), Shape.of(16, 4))
        .output("OUT", DataType.FP32, "scale IN 2 0", -1, 4);
  }

  private static ServedModel open(PlanText plan, int maxBatchSize, String... profiles) {
    var config = bare("m").withSignature(maxBatchSize, List.of(), List.of());
    return ServedModel.open(underTest(config, plan, Map.of()), List.of(profiles));
  }

  private static void requireAnswer(ServedModel served, int rows) {
    var flight = served.execute(List.of(List.of(rows("IN", rows, 4, rows))));
    assertThat(floats(flight.output(0, "OUT"))).hasSize(4 * rows).containsOnly(2 * rows);
  }

  @Test
  void eachBatchRunsWithTheProfileThatAdmitsIt() {
    try (var served = open(twoProfiles(), 16, "0", "1")) {
      for (int rows : new int[] {1, 16, 2, 4, 8, 3, 5}) {
        requireAnswer(served, rows);
      }
    }
  }

  @Test
  void anInstanceHasAContextForEachOfItsProfiles() {
    try (var _ = open(twoProfiles(), 4, "0", "1")) {
      assertThat(cuda.live("IExecutionContext")).isEqualTo(2);
    }
    try (var served = open(twoProfiles(), 16, "1")) {
      assertThat(cuda.live("IExecutionContext")).isEqualTo(1);
      requireAnswer(served, 16);
    }
  }

  @Test
  void rejectsABatchThatNoProfileAdmits() {
    try (var served = open(twoProfiles(), 16)) {
      assertThatThrownBy(() -> requireAnswer(served, 5))
          .isInstanceOf(InferenceException.class)
          .hasMessage(
              "request specifies invalid shape for input 'IN' for m. Error details: model expected"
                  + " the shape of dimension 0 to be between 1 and 4 but received 5");
      requireAnswer(served, 4);
    }
  }

  @Test
  void rejectsAnInstanceWithAProfileThatTheEngineHasNot() {
    assertThatThrownBy(() -> open(twoProfiles(), 4, "2").close())
        .hasMessage(
            "model 'm': can not set the specified optimization profile 2. Expected optimization"
                + " profile index range 0-1");
  }

  @Test
  void inputsOfVariableDimensionsHaveAnyOfThem() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, -1, -1)
            .range("IN", 0, Shape.of(1, 1), Shape.of(2, 4), Shape.of(8, 64))
            .output("OUT", DataType.FP32, "scale IN 2 0", -1, -1);
    try (var served = open(plan, 8)) {
      for (int width : new int[] {3, 64, 1, 17}) {
        var flight =
            served.execute(
                List.of(List.of(rows("IN", 2, width, 1)), List.of(rows("IN", 1, width, 2))));
        assertThat(flight.output(0, "OUT").shape()).isEqualTo(Shape.of(2, width));
        assertThat(floats(flight.output(1, "OUT"))).hasSize(width).containsOnly(4);
      }
    }
  }

  /** The elements of IN in the dimensions that SHAPE has, and these dimensions. */
  private static PlanText reshape(DataType type) {
    return new PlanText()
        .input("IN", DataType.FP32, 12)
        .shapeInput("SHAPE", type, 2)
        .values("SHAPE", 0, Shape.of(1, 1), Shape.of(3, 4), Shape.of(12, 12))
        .output("OUT", DataType.FP32, "reshape IN SHAPE", -1, -1)
        .output("DIMS", DataType.INT64, "shape OUT", 2);
  }

  private static Tensor twelve() {
    return floats("IN", Shape.of(12), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT64", "INT32"})
  void readsAndWritesShapeTensors(String type) {
    var dataType = DataType.valueOf(type);
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, 12)
            .shapeInput("SHAPE", dataType, 2)
            .values("SHAPE", 0, Shape.of(1, 1), Shape.of(3, 4), Shape.of(12, 12))
            .output("OUT", DataType.FP32, "reshape IN SHAPE", -1, -1);
    try (var served = open(plan, 0)) {
      assertThat(served.config().input("SHAPE").orElseThrow().shapeTensor()).isTrue();
      for (long[] dims : new long[][] {{3, 4}, {2, 6}, {12, 1}}) {
        var shape =
            dataType == DataType.INT64
                ? longs("SHAPE", Shape.of(2), dims)
                : ints("SHAPE", Shape.of(2), (int) dims[0], (int) dims[1]);
        var out = served.execute(List.of(List.of(twelve(), shape))).output(0, "OUT");
        assertThat(out.shape()).isEqualTo(Shape.of(dims));
        assertThat(floats(out)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
      }
    }
  }

  @Test
  void writesTheValuesOfShapeOutputs() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, -1, -1)
            .range("IN", 0, Shape.of(1, 1), Shape.of(2, 4), Shape.of(8, 64))
            .output("DIMS", DataType.INT64, "shape IN", 2);
    try (var served = open(plan, 0)) {
      var config = served.config();
      assertThat(config.batches()).isTrue();
      var flight =
          served.execute(List.of(List.of(rows("IN", 2, 5, 1)), List.of(rows("IN", 1, 5, 1))));
      // The rows of the batch are left out, and the rest is there for each row of a request.
      assertThat(flight.output(0, "DIMS").shape()).isEqualTo(Shape.of(2, 1));
      assertThat(flight.output(0, "DIMS").data().toArray(Elements.LONG)).containsExactly(5, 5);
      assertThat(flight.output(1, "DIMS").data().toArray(Elements.LONG)).containsExactly(5);
    }
  }

  @Test
  void theBatchSizeIsTheFirstValueOfAShapeTensor() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, -1, 12)
            .range("IN", 0, Shape.of(1, 12), Shape.of(2, 12), Shape.of(8, 12))
            .shapeInput("SHAPE", DataType.INT64, 3)
            .values("SHAPE", 0, Shape.of(1, 1, 1), Shape.of(2, 3, 4), Shape.of(8, 12, 12))
            .output("OUT", DataType.FP32, "reshape IN SHAPE", -1, -1, -1);
    try (var served = open(plan, 0)) {
      assertThat(served.config().maxBatchSize()).isEqualTo(8);
      assertThat(served.config().input("SHAPE").orElseThrow().dims()).isEqualTo(Shape.of(2));
      var flight =
          served.execute(
              List.of(
                  List.of(rows("IN", 2, 12, 1), longs("SHAPE", Shape.of(2), 3, 4)),
                  List.of(rows("IN", 1, 12, 7), longs("SHAPE", Shape.of(2), 3, 4))));
      assertThat(flight.output(0, "OUT").shape()).isEqualTo(Shape.of(2, 3, 4));
      assertThat(floats(flight.output(1, "OUT"))).hasSize(12).containsOnly(7);
    }
  }

  @Test
  void rejectsValuesThatTheProfileDoesNotAdmit() {
    try (var served = open(reshape(DataType.INT64), 0)) {
      assertThatThrownBy(
              () -> served.execute(List.of(List.of(twelve(), longs("SHAPE", Shape.of(2), 13, 1)))))
          .hasMessage(
              "request specifies invalid shape values for input 'SHAPE' for m. Error details: The"
                  + " shape value at index 0 is expected to be in range from 1 to 12, Got: 13");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void outputsWhoseShapesDependOnDataGetTheirMemoryWhenTheyAreKnown(int version) {
    NvinferDouble.get().setVersion(version);
    var plan =
        new PlanText()
            .version(version)
            .input("IN", DataType.FP32, -1)
            .range("IN", 0, Shape.of(1), Shape.of(8), Shape.of(4096))
            .output("OUT", DataType.INT64, "nonzero IN", 1, -1);
    var config =
        bare("m")
            .withSignature(
                0,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1))),
                List.of(TensorConfig.of("OUT", DataType.INT64, Shape.of(1, -1))));
    try (var served = ServedModel.open(underTest(config, plan, Map.of()))) {
      for (int round = 0; round < 3; round++) {
        assertNonzero(served, new float[] {0, 1, 0, 2}, 1, 3);
        assertNonzero(served, new float[] {0, 0});
        var many = new float[4000];
        many[17] = 1;
        many[3999] = 1;
        assertNonzero(served, many, 17, 3999);
      }
    }
  }

  private static void assertNonzero(ServedModel served, float[] in, long... expected) {
    var request = List.of(floats("IN", Shape.of(in.length), in));
    var out = served.execute(List.of(request)).output(0, "OUT");
    assertThat(out.shape()).isEqualTo(Shape.of(1, expected.length));
    assertThat(out.data().toArray(Elements.LONG)).containsExactly(expected);
  }

  @Test
  void lackOfMemoryForSuchAnOutputFailsItsBatchOnly() {
    var plan =
        new PlanText()
            .input("IN", DataType.FP32, -1)
            .range("IN", 0, Shape.of(1), Shape.of(8), Shape.of(4096))
            .output("OUT", DataType.INT64, "nonzero IN", 1, -1);
    var config = bare("m").withSignature(0, List.of(), List.of());
    try (var served =
        ServedModel.open(underTest(config, plan, Map.of("default-max-batch-size", "0")))) {
      cuda.fail("cudaMallocFromPoolAsync", 1, 1, CudartDouble.OUT_OF_MEMORY);
      assertThatThrownBy(() -> assertNonzero(served, new float[] {1}, 0))
          .isInstanceOf(InferenceException.class)
          .hasMessageContaining("cudaErrorMemoryAllocation");
      assertNonzero(served, new float[] {1}, 0);
    }
  }
}
