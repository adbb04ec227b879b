package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations of Triton's FIL backend, whose parameters decide what {@code output__0} is. */
class FilConfigurationTest {
  private static final int ROWS = 3;

  @TempDir Path directory;
  private int opened;
  private String model = "xgb_logistic";
  private String backend = "trees";
  private DataType type = DataType.FP32;

  private ModelConfig config(int width, Map<String, String> parameters) {
    var config =
        ModelConfig.of("m", backend)
            .withSignature(
                8,
                List.of(TestModels.tensor("input__0", DataType.FP32, 4)),
                List.of(TestModels.tensor("output__0", type, width)));
    return TestModels.withParameters(config, parameters);
  }

  private OpenModel open(ModelConfig config) {
    Path fresh = directory.resolve("" + opened++);
    var files = TestModels.files(fresh, TestModels.model(TestModels.named(model)));
    return OpenModel.of(TestModels.underTest(files, config));
  }

  /** The output of the first rows of the oracle. */
  private Tensor answer(ModelConfig config) throws IOException {
    byte[] rows = Files.readAllBytes(TestModels.named(model).resolve("rows.f32"));
    var data = MemorySegment.ofArray(new float[ROWS * 4]);
    MemorySegment.copy(MemorySegment.ofArray(rows), 0, data, 0, data.byteSize());
    try (var opened = open(config)) {
      var input = new Tensor("input__0", DataType.FP32, Shape.of(ROWS, 4), data);
      Outcome.Outputs outputs = opened.execute(List.of(List.of(input))).outputs(0);
      Tensor answer = Tensors.named(outputs, config.outputs().getFirst().name());
      float[] values = answer.data().toArray(Elements.FLOAT);
      return new Tensor(
          answer.name(), answer.dataType(), answer.shape(), MemorySegment.ofArray(values));
    }
  }

  private float[] values(int width, Map<String, String> parameters) throws IOException {
    return answer(config(width, parameters)).data().toArray(Elements.FLOAT);
  }

  /** What the library predicts for the same rows. */
  private float[] expected(int width) throws IOException {
    byte[] bytes = Files.readAllBytes(TestModels.named(model).resolve("prediction.f32"));
    return MemorySegment.ofArray(bytes)
        .asSlice(0, (long) ROWS * width * Float.BYTES)
        .toArray(Elements.FLOAT);
  }

  private void assertRefused(ModelConfig config, String message) {
    assertThatThrownBy(() -> open(config).close())
        .hasMessage("unable to load model 'm', " + message);
  }

  @Test
  void aClassifierWithoutProbabilitiesAnswersWithTheClass() throws IOException {
    float[] probabilities = expected(1);
    float[] classes = new float[ROWS];
    for (int i = 0; i < ROWS; i++) {
      classes[i] = probabilities[i] > 0.5 ? 1 : 0;
    }

    for (String name : List.of("output_class", "is_classifier")) {
      assertThat(values(1, Map.of("predict_proba", "false", name, "true", "threshold", "0.5")))
          .isEqualTo(classes);
      assertThat(values(1, Map.of(name, "true"))).isEqualTo(classes);
    }
    assertThat(values(1, Map.of("output.output__0", "class"))).isEqualTo(classes);
  }

  @Test
  void theThresholdOfTwoClassesIsExceeded() throws IOException {
    float first = expected(1)[0];
    assertThat(values(1, Map.of("is_classifier", "true", "threshold", "" + first))[0]).isZero();
    assertThat(
            values(1, Map.of("is_classifier", "true", "threshold", "" + Math.nextDown(first)))[0])
        .isEqualTo(1);
  }

  @Test
  void twoClassesHaveOneProbabilityOrTwo() throws IOException {
    float[] expected = expected(1);
    var parameters = Map.of("predict_proba", "true", "output_class", "false");

    assertThat(values(1, parameters)).isEqualTo(expected);
    assertThat(values(1, Map.of("output_class", "false"))).isEqualTo(expected);
    float[] both = values(2, parameters);
    for (int i = 0; i < ROWS; i++) {
      assertThat(both[2 * i]).isEqualTo(1 - expected[i]);
      assertThat(both[2 * i + 1]).isEqualTo(expected[i]);
    }
    assertRefused(
        config(2, Map.of("output_class", "true")),
        "output 'output__0' has the dims [2], which must be [1]; with the parameter"
            + " 'output.output__0' of the value 'probabilities' it is of that kind, which fits");
  }

  @Test
  void oneOfBothProbabilitiesThatTheLibraryPredictsIsThatOfClassOne() throws IOException {
    model = "skl_boostingbinary";
    var parameters = Map.of("predict_proba", "true");

    float[] one = values(1, parameters);
    float[] both = values(2, parameters);
    for (int i = 0; i < ROWS; i++) {
      assertThat(one[i]).isEqualTo(both[2 * i + 1]).isNotEqualTo(both[2 * i]);
    }
    backend = "fil";
    assertThat(values(1, Map.of())).isEqualTo(one);
    try (var opened = open(ModelConfig.of("m", backend))) {
      assertThat(opened.config().outputs())
          .containsExactly(TestModels.tensor("output__0", DataType.FP32, 1));
    }
  }

  @Test
  void anIsolationForestAnswersWithItsAnomalyScore() throws IOException {
    model = "skl_isolation";
    byte[] bytes = Files.readAllBytes(TestModels.named(model).resolve("score_samples.f64"));
    double[] scores = MemorySegment.ofArray(bytes).toArray(Elements.DOUBLE);

    float[] stated = values(1, Map.of("is_classifier", "false"));
    for (int i = 0; i < ROWS; i++) {
      assertThat(stated[i]).isCloseTo((float) -scores[i], within(1e-6f));
    }
    backend = "fil";
    assertThat(values(1, Map.of())).isEqualTo(stated);
  }

  @Test
  void theThresholdHoldsForTheClassOfEachTarget() throws IOException {
    model = "xgb_labels";
    float[] expected = expected(2);
    float[] classes = values(2, Map.of("is_classifier", "true", "threshold", "" + expected[0]));
    for (int i = 0; i < classes.length; i++) {
      assertThat(classes[i]).isEqualTo(expected[i] > expected[0] ? 1 : 0);
    }
  }

  @Test
  void severalClassesHaveAProbabilityEach() throws IOException {
    model = "xgb_softprob";
    float[] expected = expected(4);

    assertThat(values(4, Map.of("predict_proba", "true", "is_classifier", "true")))
        .isEqualTo(expected);
    assertThat(values(4, Map.of("is_classifier", "false"))).isEqualTo(expected);
    float[] classes = values(1, Map.of("is_classifier", "true"));
    for (int i = 0; i < ROWS; i++) {
      for (int k = 0; k < 4; k++) {
        assertThat(expected[4 * i + k]).isLessThanOrEqualTo(expected[4 * i + (int) classes[i]]);
      }
    }
  }

  @Test
  void theClassOfAModelThatPredictsItHasItsProbabilitiesToo() throws IOException {
    model = "xgb_softmax";

    assertThat(values(1, Map.of("is_classifier", "true"))).isEqualTo(expected(1));
    float[] probabilities = values(3, Map.of("predict_proba", "true"));
    assertThat(probabilities[0] + probabilities[1] + probabilities[2]).isCloseTo(1, within(1e-6f));
  }

  @Test
  void aRegressionIsAPredictionUnlessItIsToBeAClassifier() throws IOException {
    model = "xgb_squarederror";
    float[] expected = expected(1);

    assertThat(values(1, Map.of("is_classifier", "false"))).isEqualTo(expected);
    assertThat(values(1, Map.of("predict_proba", "true"))).isEqualTo(expected);
    assertThat(values(1, Map.of("is_classifier", "true", "threshold", "-1000"))).containsOnly(1);
    assertRefused(
        config(1, Map.of("output.output__0", "class")),
        "output 'output__0' is of the kind 'class', but the model is no classifier");
  }

  @Test
  void theBackendOfTritonAnswersOneValueOfARowWithoutADimension() throws IOException {
    for (String name : new TreesBackendProvider().aliases()) {
      backend = name;
      assertThat(answer(config(1, Map.of("is_classifier", "true"))).shape())
          .isEqualTo(Shape.of(ROWS));
      assertThat(answer(config(2, Map.of("predict_proba", "true"))).shape())
          .isEqualTo(Shape.of(ROWS, 2));
    }
    backend = "trees";
    assertThat(answer(config(1, Map.of("is_classifier", "true"))).shape())
        .isEqualTo(Shape.of(ROWS, 1));
  }

  @Test
  void aBareConfigurationOfItHasItsNames() {
    backend = "fil";
    var bare =
        TestModels.withParameters(ModelConfig.of("m", backend), Map.of("is_classifier", "true"));
    try (var opened = open(bare)) {
      assertThat(opened.config().inputs())
          .containsExactly(TestModels.tensor("input__0", DataType.FP32, 4));
      assertThat(opened.config().outputs())
          .containsExactly(TestModels.tensor("output__0", DataType.FP32, 1));
    }
  }

  @Test
  void refusesWhatDecidesNothing() {
    var margin =
        config(1, Map.of("is_classifier", "true"))
            .withSignature(
                8,
                List.of(TestModels.tensor("input__0", DataType.FP32, 4)),
                List.<TensorConfig>of(TestModels.tensor("margin", DataType.FP32, 1)));

    assertRefused(
        margin,
        "parameter 'is_classifier' asks for the kind 'class', but output 'margin' is of the kind"
            + " 'margin'; remove it, or name the output 'output__0'");
  }

  @Test
  void namesTheParameterAndWhatItMayBe() {
    assertRefused(
        config(1, Map.of("output_class", "yes")),
        "parameter 'output_class' must be one of true, false, got 'yes'");
    assertRefused(
        config(1, Map.of("threshold", "half")),
        "parameter 'threshold' must be a number, got 'half'");
    assertRefused(
        config(1, Map.of("model_type", "catboost")),
        "parameter 'model_type' must be one of lightgbm, treelite_checkpoint, xgboost,"
            + " xgboost_json, xgboost_ubj, got 'catboost'");
    type = DataType.BYTES;
    assertRefused(
        config(1, Map.of("output_class", "true")),
        "output 'output__0' has the type TYPE_STRING, which must be TYPE_INT32, TYPE_INT64,"
            + " TYPE_FP32 or TYPE_FP64");
  }
}
