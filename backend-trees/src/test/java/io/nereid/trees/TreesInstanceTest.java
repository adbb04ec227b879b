package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreesInstanceTest {
  /** Two stumps: -1 or 1 by feature 0, and 0.25 or 0.5 by feature 1. */
  private static final String BINARY =
      """
      tree
      version=v4
      num_class=1
      num_tree_per_iteration=1
      max_feature_idx=1
      objective=binary sigmoid:1
      feature_names=a b
      tree_sizes=1 1

      Tree=0
      num_leaves=2
      num_cat=0
      split_feature=0
      threshold=0.5
      decision_type=8
      left_child=-1
      right_child=-2
      leaf_value=-1 1
      internal_count=4
      leaf_count=1 3
      is_linear=0

      Tree=1
      num_leaves=2
      num_cat=0
      split_feature=1
      threshold=0.5
      decision_type=8
      left_child=-1
      right_child=-2
      leaf_value=0.25 0.5
      internal_count=4
      leaf_count=2 2
      is_linear=0

      end of trees
      """;

  @TempDir Path directory;

  private OpenModel open(ModelConfig config) {
    return OpenModel.of(
        TestModels.underTest(TestModels.files(directory, "model.txt", BINARY), config));
  }

  private static Tensor rows(Shape shape, float... values) {
    return new Tensor("input", DataType.FP32, shape, MemorySegment.ofArray(values));
  }

  private static ModelConfig config(int maxBatchSize, List<TensorConfig> outputs) {
    long[] dims = maxBatchSize > 0 ? new long[] {2} : new long[] {-1, 2};
    return TestModels.bare("m")
        .withSignature(
            maxBatchSize, List.of(TestModels.tensor("input", DataType.FP32, dims)), outputs);
  }

  private static double[] doubles(Outcome.Outputs outputs, String name) {
    Tensor tensor = Tensors.named(outputs, name);
    double[] values = new double[Math.toIntExact(tensor.shape().elementCount())];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          switch (tensor.dataType()) {
            case FP32 -> tensor.data().get(Elements.FLOAT, 4L * i);
            case FP64 -> tensor.data().get(Elements.DOUBLE, 8L * i);
            case INT32 -> tensor.data().get(Elements.INT, 4L * i);
            default -> tensor.data().get(Elements.LONG, 8L * i);
          };
    }
    return values;
  }

  private static double sigmoid(double margin) {
    return 1 / (1 + Math.exp(-margin));
  }

  @Test
  void anOutputOfEachKindHasItsValues() {
    var outputs =
        List.of(
            TestModels.tensor("margin", DataType.FP64, 1),
            TestModels.tensor("prediction", DataType.FP64, 1),
            TestModels.tensor("probabilities", DataType.FP64, 2),
            TestModels.tensor("class", DataType.INT32, 1));
    try (var model = open(config(8, outputs))) {
      var answer = model.execute(List.of(List.of(rows(Shape.of(2, 2), 0, 0, 1, 1)))).outputs(0);

      assertThat(doubles(answer, "margin")).containsExactly(-0.75, 1.5);
      assertThat(doubles(answer, "prediction")).containsExactly(sigmoid(-0.75), sigmoid(1.5));
      assertThat(doubles(answer, "probabilities"))
          .containsExactly(1 - sigmoid(-0.75), sigmoid(-0.75), 1 - sigmoid(1.5), sigmoid(1.5));
      assertThat(doubles(answer, "class")).containsExactly(0, 1);
    }
  }

  @Test
  void aBatchOfManyBlocksIsAnsweredRowByRow() {
    int rows = 2000;
    float[] values = new float[2 * rows];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 7 % 2;
    }
    try (var model = open(config(rows, List.of(TestModels.tensor("margin", DataType.FP32, 1))))) {
      double[] margins =
          doubles(
              model.execute(List.of(List.of(rows(Shape.of(rows, 2), values)))).outputs(0),
              "margin");

      for (int i = 0; i < rows; i++) {
        double expected = (values[2 * i] > 0 ? 1 : -1) + (values[2 * i + 1] > 0 ? 0.5 : 0.25);
        assertThat(margins[i]).as("row %d", i).isEqualTo(expected);
      }
    }
  }

  @Test
  void aModelWithoutABatchTakesAnyNumberOfRows() {
    try (var model = open(config(0, List.of(TestModels.tensor("class", DataType.INT64, -1, 1))))) {
      for (int rows : new int[] {0, 1, 5}) {
        float[] values = new float[2 * rows];
        java.util.Arrays.fill(values, 1);
        var answer = model.execute(List.of(List.of(rows(Shape.of(rows, 2), values)))).outputs(0);

        assertThat(Tensors.named(answer, "class").shape()).isEqualTo(Shape.of(rows, 1));
        assertThat(doubles(answer, "class"))
            .containsOnly(rows == 0 ? new double[0] : new double[] {1});
      }
    }
  }

  @Test
  void aRowMayBeAllOfTheInput() {
    var config =
        TestModels.bare("m")
            .withSignature(
                0,
                List.of(TestModels.tensor("input", DataType.FP32, 2)),
                List.of(TestModels.tensor("margin", DataType.FP32, 1)));
    try (var model = open(config)) {
      var answer = model.execute(List.of(List.of(rows(Shape.of(2), 1, 0)))).outputs(0);

      assertThat(Tensors.named(answer, "margin").shape()).isEqualTo(Shape.of(1));
      assertThat(doubles(answer, "margin")).containsExactly(1.25);
    }
  }

  @Test
  void aValueOfARowMayHaveNoDimension() {
    var scalar =
        new TensorConfig(
            "margin",
            DataType.FP32,
            Shape.of(1),
            java.util.Optional.of(Shape.of()),
            false,
            false,
            false,
            TensorConfig.Format.FORMAT_NONE,
            "");
    try (var model = open(config(8, List.of(scalar)))) {
      var answer =
          model.execute(List.of(List.of(rows(Shape.of(3, 2), 0, 0, 1, 0, 1, 1)))).outputs(0);

      assertThat(doubles(answer, "margin")).containsExactly(-0.75, 1.25, 1.5);
    }
  }

  private static SampleRequest ranged(Parameter range) {
    return SampleRequest.of(
        List.of(rows(Shape.of(2, 2), 0, 0, 1, 1)), Map.of(IterationRange.PARAMETER, range));
  }

  private static SampleRequest ranged(String range) {
    return ranged(new Parameter.OfString(range));
  }

  @Test
  void eachRequestOfABatchMaySayWhichIterationsToUse() {
    var outputs = List.of(TestModels.tensor("margin", DataType.FP64, 1));
    try (var model = open(config(12, outputs))) {
      var requests =
          List.of(
              ranged("0,1"),
              SampleRequest.of(List.of(rows(Shape.of(1, 2), 0, 0))),
              ranged("0,3"),
              ranged("1, 2"),
              ranged("all"));
      var batch = model.run(requests);

      assertThat(doubles(batch.outputs(0), "margin")).containsExactly(-1, 1);
      assertThat(doubles(batch.outputs(1), "margin")).containsExactly(-0.75);
      assertThat(doubles(batch.outputs(3), "margin")).containsExactly(0.25, 0.5);
      assertThat(doubles(batch.outputs(4), "margin")).containsExactly(-0.75, 1.5);
      assertRefused(
          batch.answers().get(2),
          "model 'm': the parameter 'iteration_range' must be 'all', 'best' or 'begin,end' with 0 <="
              + " begin < end <= 2, got '0,3'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "0,0", "-1,1", "1,1", "2,1", "0,1,2", "a,b", "0,9999999999"})
  void refusesIterationsThatTheModelDoesNotHave(String range) {
    var outputs = List.of(TestModels.tensor("margin", DataType.FP64, 1));
    try (var model = open(config(12, outputs))) {
      assertRefused(
          model.run(List.of(ranged(range))).answers().getFirst(),
          "model 'm': the parameter 'iteration_range' must be 'all', 'best' or 'begin,end' with 0 <="
              + " begin < end <= 2, got '%s'".formatted(range));
      assertRefused(
          model.run(List.of(ranged(new Parameter.OfLong(1)))).answers().getFirst(),
          "model 'm': the parameter 'iteration_range' must be 'all', 'best' or 'begin,end' with 0 <="
              + " begin < end <= 2, got no string");
    }
  }

  private static void assertRefused(List<Outcome> answers, String message) {
    assertThat(answers)
        .singleElement()
        .isInstanceOfSatisfying(
            Outcome.Failure.class, failure -> assertThat(failure.exception()).hasMessage(message));
  }

  @Test
  void theConfigurationMaySayWhichIterationsToUse() {
    var outputs = List.of(TestModels.tensor("margin", DataType.FP64, 1));
    var config =
        TestModels.withParameters(config(8, outputs), Map.of(IterationRange.PARAMETER, "1,2"));
    try (var model = open(config)) {
      var batch =
          model.run(List.of(SampleRequest.of(List.of(rows(Shape.of(1, 2), 0, 0))), ranged("all")));

      assertThat(doubles(batch.outputs(0), "margin")).containsExactly(0.25);
      assertThat(doubles(batch.outputs(1), "margin")).containsExactly(-0.75, 1.5);
    }
  }

  @Test
  void contributionsAreThoseOfTheIterationsUsed() {
    var outputs =
        List.of(
            TestModels.tensor("margin", DataType.FP64, 1),
            TestModels.tensor("contributions", DataType.FP64, 3));
    try (var model = open(config(12, outputs))) {
      var batch = model.run(List.of(ranged("all"), ranged("0,1"), ranged("1,2")));

      assertThat(doubles(batch.outputs(0), "contributions"))
          .containsExactly(new double[] {-1.5, -0.125, 0.875, 0.5, 0.125, 0.875}, within(1e-12));
      assertThat(doubles(batch.outputs(1), "contributions"))
          .containsExactly(new double[] {-1.5, 0, 0.5, 0.5, 0, 0.5}, within(1e-12));
      assertThat(doubles(batch.outputs(2), "contributions"))
          .containsExactly(new double[] {0, -0.125, 0.375, 0, 0.125, 0.375}, within(1e-12));
    }
  }

  @Test
  void rowsOfDoublesAreComparedAsDoubles() {
    double above = Math.nextUp(0.5);
    var outputs = List.of(TestModels.tensor("margin", DataType.FP64, 1));
    var input = TestModels.tensor("input", DataType.FP64, 2);
    try (var model = open(TestModels.bare("m").withSignature(8, List.of(input), outputs))) {
      var values = MemorySegment.ofArray(new double[] {0.5, 0.5, above, 0.5, 0.5, above});
      var rows = new Tensor("input", DataType.FP64, Shape.of(3, 2), values);

      assertThat(doubles(model.execute(List.of(List.of(rows))).outputs(0), "margin"))
          .containsExactly(-0.75, 1.25, -0.5);
    }
  }

  @Test
  void stopsWhenItsRequestsAreCancelled() {
    ModelConfig config = config(8, List.of(TestModels.tensor("margin", DataType.FP32, 1)));
    try (var model = open(config);
        var batch = new TestBatch(model.config())) {
      batch.add(List.of(rows(Shape.of(1, 2), 0, 0)));
      batch.cancel();

      assertThat(model.execute(batch).answers().getFirst())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Failure.class,
              failure ->
                  assertThat(failure.exception())
                      .isInstanceOfSatisfying(
                          InferenceException.class,
                          cancelled ->
                              assertThat(cancelled.code()).isEqualTo(StatusCode.CANCELLED)));
    }
  }
}
