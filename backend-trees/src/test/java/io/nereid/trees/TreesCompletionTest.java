package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Iterations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreesCompletionTest {
  private static final TensorConfig INPUT = TestModels.tensor("input", DataType.FP32, 4);

  @TempDir Path directory;
  private ModelFiles files;

  @BeforeEach
  void makeModel() {
    files = TestModels.files(directory, TestModels.model(TestModels.named("xgb_softprob")));
  }

  private ModelConfig complete(ModelConfig config, Map<String, String> options) {
    try (var backend = new TreesBackendProvider().open(TestContext.of("trees", options))) {
      return backend.complete(files, config);
    }
  }

  private ModelConfig complete(ModelConfig config) {
    return complete(config, Map.of());
  }

  private void load(ModelConfig config) {
    try (var backend = new TreesBackendProvider().open(TestContext.of("trees"));
        var model = backend.load(files, config)) {
      assertThat(model.memoryUsage().getFirst().byteSize()).isPositive();
    }
  }

  private static ModelConfig config(int maxBatchSize, TensorConfig input, TensorConfig... outputs) {
    return TestModels.bare("m").withSignature(maxBatchSize, List.of(input), List.of(outputs));
  }

  private void assertRefused(ModelConfig config, String message) {
    assertThatThrownBy(() -> load(config))
        .isInstanceOf(InferenceException.class)
        .hasMessage("unable to load model 'm', " + message);
  }

  @Test
  void completesABareConfiguration() {
    var completed = complete(TestModels.bare("m"));

    assertThat(completed.maxBatchSize()).isEqualTo(1024);
    assertThat(completed.inputs()).containsExactly(INPUT);
    assertThat(completed.outputs())
        .containsExactly(TestModels.tensor("prediction", DataType.FP32, 4));
    assertThat(completed.scheduling()).isEqualTo(BatchingSettings.of(List.of(1024), 0));
    load(completed);
  }

  @Test
  void usesTheOperatorsDefaultMaximumBatchSize() {
    var single = complete(TestModels.bare("m"), Map.of("default-max-batch-size", "1"));
    assertThat(single.maxBatchSize()).isEqualTo(1);
    assertThat(single.scheduling()).isEqualTo(new SchedulingSettings.Direct());

    var none = complete(TestModels.bare("m"), Map.of("default-max-batch-size", "0"));
    assertThat(none.maxBatchSize()).isZero();
    assertThat(none.inputs()).containsExactly(TestModels.tensor("input", DataType.FP32, -1, 4));
    assertThat(none.outputs())
        .containsExactly(TestModels.tensor("prediction", DataType.FP32, -1, 4));
    load(none);
  }

  @Test
  void addsToAConfigurationWhatItLacks() {
    var output = TestModels.tensor("class", DataType.INT32, 1);
    var withInput = complete(TestModels.bare("m").withSignature(3, List.of(), List.of(output)));
    assertThat(withInput.maxBatchSize()).isEqualTo(3);
    assertThat(withInput.inputs()).containsExactly(INPUT);
    load(withInput);

    var withOutput = complete(TestModels.bare("m").withSignature(0, List.of(INPUT), List.of()));
    assertThat(withOutput.maxBatchSize()).isZero();
    assertThat(withOutput.outputs())
        .containsExactly(TestModels.tensor("prediction", DataType.FP32, 4));
    load(withOutput);
  }

  @Test
  void keepsWhatACompleteConfigurationStates() {
    var config = config(8, INPUT, TestModels.tensor("prediction", DataType.FP32, 4));

    assertThat(complete(config))
        .isEqualTo(TestModels.withParameters(config, Map.of("feature_names", "f0,f1,f2,f3")));
  }

  @Test
  void theOnlyOutputIsThePredictionWhateverItsName() {
    load(config(8, INPUT, TestModels.tensor("output__0", DataType.FP32, 4)));
  }

  @Test
  void aParameterGivesAnOutputItsKind() {
    var config =
        config(
            8,
            INPUT,
            TestModels.tensor("a", DataType.FP32, 4),
            TestModels.tensor("b", DataType.INT64, 1));

    load(TestModels.withParameters(config, Map.of("output.a", "margin", "output.b", "class")));
    assertRefused(
        TestModels.withParameters(config, Map.of("output.a", "margin")),
        "output 'b' needs the parameter 'output.b' with one of the values prediction, margin,"
            + " probabilities, class, score_samples, anomaly_score, contributions");
    assertRefused(
        TestModels.withParameters(config, Map.of("output.a", "leaf")),
        "parameter 'output.a' must be one of prediction, margin, probabilities, class,"
            + " score_samples, anomaly_score, contributions, got 'leaf'");
  }

  @Test
  void refusesAConfigurationThatContradictsTheFile() {
    var prediction = TestModels.tensor("prediction", DataType.FP32, 4);
    assertRefused(
        config(8, TestModels.tensor("input", DataType.FP32, 5), prediction),
        "input 'input' has the dims [5], which must be [4]");
    assertRefused(
        config(8, TestModels.tensor("input", DataType.INT32, 4), prediction),
        "input 'input' has the type TYPE_INT32, which must be TYPE_FP32 or TYPE_FP64");
    load(config(8, TestModels.tensor("input", DataType.FP64, 4), prediction));
    assertRefused(
        config(8, INPUT, TestModels.tensor("prediction", DataType.INT32, 4)),
        "output 'prediction' has the type TYPE_INT32, which must be TYPE_FP32 or TYPE_FP64");
    assertRefused(
        config(8, INPUT, TestModels.tensor("class", DataType.INT32, 4)),
        "output 'class' has the dims [4], which must be [1]");
    assertRefused(
        config(0, INPUT, TestModels.tensor("class", DataType.INT32, -1, 1)),
        "output 'class' has the dims [-1,1], which must be [1]");
    assertRefused(
        TestModels.bare("m").withSignature(8, List.of(INPUT, INPUT), List.of(prediction)),
        "the configuration has 2 inputs, the model has 1");
  }

  @Test
  void namesTheKindThatTypeAndDimsOfAnOutputFit() {
    files =
        TestModels.files(
            directory.resolve("binary"), TestModels.model(TestModels.named("lgb_binary")));

    assertRefused(
        config(8, INPUT, TestModels.tensor("output__0", DataType.FP32, 2)),
        "output 'output__0' has the dims [2], which must be [1]; with the parameter"
            + " 'output.output__0' of the value 'probabilities' it is of that kind, which fits");
    assertRefused(
        config(8, INPUT, TestModels.tensor("label", DataType.INT64, 1)),
        "output 'label' has the type TYPE_INT64, which must be TYPE_FP32 or TYPE_FP64; with the"
            + " parameter 'output.label' of the value 'class' it is of that kind, which fits");
  }

  @Test
  void refusesClassesOfAModelThatIsNoClassifier() {
    files =
        TestModels.files(
            directory.resolve("regression"), TestModels.model(TestModels.named("lgb_regression")));

    assertRefused(
        config(8, INPUT, TestModels.tensor("probabilities", DataType.FP32, 2)),
        "output 'probabilities' is of the kind 'probabilities', but the model is no classifier");
  }

  @Test
  void comparesTheNamesOfFeatures() {
    files =
        TestModels.files(
            directory.resolve("named"), TestModels.model(TestModels.named("lgb_regression")));
    var config = config(8, INPUT, TestModels.tensor("prediction", DataType.FP32, 1));
    String names = "Column_0, Column_1, Column_2, Column_3";

    load(TestModels.withParameters(config, Map.of("feature_names", names)));
    assertRefused(
        TestModels.withParameters(config, Map.of("feature_names", names.replace("_1", "_7"))),
        "parameter 'feature_names' has 'Column_7' as feature 1, the file has 'Column_1'");
    assertRefused(
        TestModels.withParameters(config, Map.of("feature_names", "Column_0")),
        "parameter 'feature_names' has 1 names, the model has 4 features");
  }

  @Test
  void usesTheIterationsOfABoosterUnlessAParameterSaysOtherwise() {
    Path file = TestModels.model(TestModels.named("xgb_earlybooster"));
    files = TestModels.files(directory.resolve("booster"), file);
    var config = TestModels.bare("m");
    Iterations all = TreesFile.of(files, config).read().trees().iterations();
    assertThat(all.used()).isEqualTo(all.count()).isGreaterThan(all.best() + 1);

    var best = TestModels.withParameters(config, Map.of("iteration_range", "best"));
    assertThat(TreesFile.of(files, best).read().trees().iterations().used())
        .isEqualTo(all.best() + 1);
  }

  @Test
  void usesTheIterationsOfAnEstimatorUpToTheBestUnlessAParameterSaysOtherwise() throws IOException {
    Path file = TestModels.model(TestModels.named("xgb_earlyforest"));
    files = TestModels.files(directory.resolve("early"), file);
    var config = TestModels.bare("m");
    Iterations best = TreesFile.of(files, config).read().trees().iterations();
    assertThat(best.used()).isEqualTo(best.best() + 1).isLessThan(best.count());

    var all = TestModels.withParameters(config, Map.of("iteration_range", "all"));
    assertThat(TreesFile.of(files, all).read().trees().iterations().used()).isEqualTo(best.count());

    String stated = "\"best_iteration\":\"" + best.best();
    String wrong = "\"best_iteration\":\"" + best.count();
    String text = Files.readString(file, StandardCharsets.UTF_8).replace(stated, wrong);
    files = TestModels.files(directory.resolve("wrong"), "model.json", text);
    assertThatThrownBy(() -> TreesFile.of(files, config).read())
        .hasMessageEndingWith(
            ("its best_iteration is %1$d, but it has %1$d iterations; the parameter 'iteration_range'"
                    + " must say which to use")
                .formatted(best.count()));
    assertThat(TreesFile.of(files, all).read().trees().iterations().used()).isEqualTo(best.count());
  }

  @Test
  void anInputIsOfDoublesIfTheLibraryComparesDoubles() {
    assertThat(typeOfInput("lgb_regression")).isEqualTo(DataType.FP64);
    assertThat(typeOfInput("skl_hist")).isEqualTo(DataType.FP64);
    assertThat(typeOfInput("skl_rf")).isEqualTo(DataType.FP32);
    assertThat(typeOfInput("xgb_squarederror")).isEqualTo(DataType.FP32);
  }

  private DataType typeOfInput(String model) {
    files = TestModels.files(directory.resolve(model), TestModels.model(TestModels.named(model)));
    return complete(TestModels.bare("m")).inputs().getFirst().dataType();
  }

  @Test
  void anIsolationForestPredictsOnceItsOffsetIsKnown() {
    files =
        TestModels.files(
            directory.resolve("isolation"), TestModels.model(TestModels.named("skl_isolation")));
    var prediction = TestModels.tensor("prediction", DataType.FP32, 1);

    assertThat(complete(TestModels.bare("m")).outputs())
        .containsExactly(TestModels.tensor("score_samples", DataType.FP32, 1));
    assertRefused(
        config(8, INPUT, prediction),
        "output 'prediction' is of the kind 'prediction', which needs the parameter 'offset' with the"
            + " offset_ of the isolation forest: -0.5 unless its contamination was given");
    var known = TestModels.withParameters(TestModels.bare("m"), Map.of("offset", "-0.5"));
    assertThat(complete(known).outputs()).containsExactly(prediction);
  }

  @Test
  void refusesAnOffsetThatIsNoneOfAnIsolationForest() {
    var config = TestModels.withParameters(TestModels.bare("m"), Map.of("offset", "-0.5"));

    assertThatThrownBy(() -> complete(config))
        .hasMessageEndingWith("the parameter 'offset' is of isolation forests, which this is not");
  }

  @Test
  void refusesContributionsOfLinearTrees() {
    files =
        TestModels.files(
            directory.resolve("linear"), TestModels.model(TestModels.named("lgb_linear")));

    var config = config(8, INPUT, TestModels.tensor("contributions", DataType.FP64, 5));
    assertThatThrownBy(() -> load(config))
        .isInstanceOf(InferenceException.class)
        .hasMessageEndingWith(
            "its leaves are linear functions (linear_tree), for which there are no contributions");
  }

  @Test
  void aScoreOfOutliersNeedsAnIsolationForest() {
    assertRefused(
        config(8, INPUT, TestModels.tensor("anomaly_score", DataType.FP32, 1)),
        "output 'anomaly_score' is of the kind 'anomaly_score', but the model is no isolation"
            + " forest");
  }
}
