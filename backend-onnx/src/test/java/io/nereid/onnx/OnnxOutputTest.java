package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs of other shapes than a file declares, or of which it declares none. */
class OnnxOutputTest {
  private static OpenModel open(ModelConfig config) {
    return OpenModel.of(TestModels.underTest(config));
  }

  private static Tensor output(OpenModel model, Tensor... inputs) {
    return Tensors.named(model.execute(List.of(List.of(inputs))).outputs(0), "OUT");
  }

  private static String failure(OpenModel model, Tensor... inputs) {
    var answers = model.execute(List.of(List.of(inputs))).answers();
    return String.valueOf(
        ((Outcome.Failure) answers.getFirst().getFirst()).exception().getMessage());
  }

  private static Tensor floats(Shape shape, float... values) {
    return TestModels.floats("IN", shape, values);
  }

  /** Two rows of two. */
  private static final Tensor ROWS = floats(Shape.of(2, 2), 1, 2, 4, 3);

  @Test
  void isOfMoreRowsThanTheFileDeclares() {
    try (var model = open(TestModels.bare("wrong_label"))) {
      assertThat(model.config().output("OUT").orElseThrow().dims()).isEqualTo(Shape.of(1));
      for (int round = 0; round < 3; round++) { // after one row, memory is bound for one
        Tensors.assertSame(
            output(model, floats(Shape.of(1, 2), 1, 2)), TestModels.longs("OUT", Shape.of(1), 1));
        Tensors.assertSame(output(model, ROWS), TestModels.longs("OUT", Shape.of(2), 1, 0));
      }
      assertThat(model.model().isShapeHint("OUT")).isTrue();
    }
  }

  @Test
  void isOfAnotherRankThanTheFileDeclaresForEachRequestOfABatch() {
    try (var model = open(TestModels.bare("wrong_rank"))) {
      assertThat(model.config().output("OUT").orElseThrow().reshape()).contains(Shape.of());
      var execution = model.execute(List.of(List.of(ROWS), List.of(floats(Shape.of(1, 2), 5, 6))));

      Tensors.assertSame(
          Tensors.named(execution.outputs(0), "OUT"),
          TestModels.floats("OUT", Shape.of(2, 1), 3, 7));
      Tensors.assertSame(
          Tensors.named(execution.outputs(1), "OUT"), TestModels.floats("OUT", Shape.of(1, 1), 11));
    }
  }

  @Test
  void isOfOtherDimensionsThanTheFileAndAnEqualConfigurationDeclare() {
    var input = List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(2)));
    var output = List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(1)));
    try (var model = open(TestModels.bare("wrong_targets").withSignature(8, input, output))) {
      Tensors.assertSame(
          output(model, ROWS), TestModels.floats("OUT", Shape.of(2, 2), -1, -2, -4, -3));
    }
  }

  @Test
  void isAScalarWhereTheFileDeclaresElements() {
    try (var model = open(TestModels.bare("wrong_scalar"))) {
      Tensors.assertSame(
          output(model, floats(Shape.of(2), 1, 2)), TestModels.floats("OUT", Shape.of(), 3));
    }
  }

  @Test
  void isCheckedWhereTheConfigurationSaysMoreThanTheFile() {
    var input = List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1, 2)));
    var plain = TensorConfig.of("OUT", DataType.FP32, Shape.of(-1, 1));
    var output =
        new TensorConfig(
            "OUT",
            DataType.FP32,
            Shape.of(-1),
            Optional.of(Shape.of(-1, 1)),
            false,
            false,
            false,
            plain.format(),
            "");
    var config = TestModels.bare("wrong_targets").withSignature(0, input, List.of(output));
    try (var model = open(config)) {
      assertThat(model.model().isShapeHint("OUT")).isFalse();
    }
  }

  @Test
  void aRunThatComputesAnotherShapeThanPredictedIsRepeated() {
    var config =
        TestModels.unbatched(
            "liar",
            List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(-1))),
            TensorConfig.of("OUT", DataType.INT64, Shape.of(1, -1)));
    try (var model = open(config)) {
      for (int round = 0; round < 3; round++) {
        Tensors.assertSame(
            output(model, floats(Shape.of(2), 1, 1)),
            TestModels.longs("OUT", Shape.of(1, 2), 0, 1));
        Tensors.assertSame(
            output(model, floats(Shape.of(2), 0, 1)), TestModels.longs("OUT", Shape.of(1, 1), 1));
      }
    }
  }

  @Test
  void aRunOfABatchThatComputesAnotherShapeThanPredictedIsRepeated() {
    try (var model = open(TestModels.bare("trim"))) {
      for (int round = 0; round < 3; round++) {
        for (int length = 2; length > 0; length--) { // as long as predicted, then shorter
          var lengths = TestModels.longs("LENGTH", Shape.of(2, 1), length, 1);
          var last = TestModels.longs("LENGTH", Shape.of(1, 1), length);
          var execution =
              model.execute(
                  List.of(List.of(ROWS, lengths), List.of(floats(Shape.of(1, 2), 5, 6), last)));

          var first = Tensors.named(execution.outputs(0), "OUT");
          assertThat(first.shape()).isEqualTo(Shape.of(2, length));
          assertThat(first.data().get(Elements.FLOAT, 4L * length)).isEqualTo(4);
          var second = Tensors.named(execution.outputs(1), "OUT");
          assertThat(second.shape()).isEqualTo(Shape.of(1, length));
          assertThat(second.data().get(Elements.FLOAT, 0)).isEqualTo(5);
        }
      }
    }
  }

  @Test
  void noMemoryIsBoundToAPredictedShapeWithoutTheRowsOfTheBatch() {
    try (var model = open(TestModels.bare("wrong_rows"))) {
      for (int width :
          new int[] {2, 2, 3, 1}) { // as many as rows, of which the prediction is right
        var other = TestModels.floats("OTHER", Shape.of(2, width), new float[2 * width]);
        Tensors.assertSame(
            output(model, ROWS, other), TestModels.floats("OUT", Shape.of(2, 2), -1, -2, -4, -3));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4})
  void rejectsOtherRowsThanThoseOfTheBatch(int found) {
    try (var model = open(TestModels.bare("selected_rows"))) {
      assertThat(failure(model, nonzero(found)))
          .isEqualTo(
              "model 'selected_rows', output 'OUT': 2 rows were run, but its shape is [%d,2]"
                  .formatted(found));
      Tensors.assertSame(
          output(model, nonzero(2)), TestModels.longs("OUT", Shape.of(2, 2), 0, 0, 0, 1));
    }
  }

  /** Two rows with so many values that are not 0. */
  private static Tensor nonzero(int count) {
    var values = new float[4];
    Arrays.fill(values, 0, count, 1);
    return floats(Shape.of(2, 2), values);
  }

  @Test
  void hasNoElementsIfTheFileDeclaresADimensionOfZero() {
    try (var model = open(TestModels.bare("zero"))) {
      assertThat(model.config().maxBatchSize()).isZero();
      assertThat(model.config().outputs())
          .containsExactly(TensorConfig.of("OUT", DataType.FP32, Shape.of(-1, 2)));
      Tensors.assertSame(
          output(model, floats(Shape.of(0, 2))), TestModels.floats("OUT", Shape.of(0, 2)));
    }
  }

  private static ModelConfig anyRank(Shape in, Shape out) {
    return TestModels.unbatched(
        "any_rank",
        List.of(
            TensorConfig.of("IN", DataType.FP32, in),
            TensorConfig.of("SHAPE", DataType.INT64, Shape.of(-1))),
        TensorConfig.of("OUT", DataType.FP32, out));
  }

  private static Tensor reshapedTo(long... dims) {
    return TestModels.longs("SHAPE", Shape.of(dims.length), dims);
  }

  @Test
  void isOfAnyShapeIfNeitherTheFileNorTheConfigurationDeclaresARank() {
    try (var model = open(anyRank(Shape.of(-1, -1), Shape.of(1)))) {
      Tensors.assertSame(
          output(model, ROWS, reshapedTo(1, 4)),
          TestModels.floats("OUT", Shape.of(1, 4), 1, 2, 4, 3));
      Tensors.assertSame(
          output(model, ROWS, reshapedTo(4)), TestModels.floats("OUT", Shape.of(4), 1, 2, 4, 3));
    }
  }

  @Test
  void declaresOneElementForATensorWithoutARank() {
    try (var model = open(TestModels.bare("any_rank"))) {
      assertThat(model.config().inputs())
          .contains(TensorConfig.of("IN", DataType.FP32, Shape.of(1)));
      assertThat(model.config().outputs())
          .containsExactly(TensorConfig.of("OUT", DataType.FP32, Shape.of(1)));
      Tensors.assertSame(
          output(model, floats(Shape.of(1), 7), reshapedTo(1, 1)),
          TestModels.floats("OUT", Shape.of(1, 1), 7));
    }
  }

  @Test
  void hasTheShapeThatTheConfigurationDeclaresWhereTheFileDeclaresNoRank() {
    try (var model = open(anyRank(Shape.of(2, 2), Shape.of(-1, -1)))) {
      assertThat(model.model().isShapeHint("OUT")).isFalse();
      Tensors.assertSame(
          output(model, ROWS, reshapedTo(4, 1)),
          TestModels.floats("OUT", Shape.of(4, 1), 1, 2, 4, 3));
    }
  }

  @Test
  void batchesIfTheConfigurationSaysSoWhereTheFileDeclaresNoRank() {
    var config =
        TestModels.bare("any_rank_batch")
            .withSignature(
                4,
                List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(2))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(2))));
    try (var model = open(config)) {
      Tensors.assertSame(
          output(model, ROWS), TestModels.floats("OUT", Shape.of(2, 2), -1, -2, -4, -3));
    }
  }
}
