package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a completed configuration shows of a file, and what it warns of. */
class CompletedParametersTest {
  @TempDir private Path directory;

  private static Path named() throws IOException {
    return Path.of(
        Objects.requireNonNull(CompletedParametersTest.class.getResource("/columns/xgb/model.json"))
            .getPath());
  }

  private static ModelConfig complete(ModelFiles files, ModelConfig config) {
    try (var backend = new TreesBackendProvider().open(TestContext.of("trees", Map.of()))) {
      return backend.complete(files, config);
    }
  }

  private ModelConfig complete(Path file) {
    return complete(TestModels.files(directory, file), TestModels.bare("m"));
  }

  @Test
  void theFeaturesAreNamedAsInTheFile() throws IOException {
    assertThat(complete(named()).parameters())
        .containsExactly(Map.entry("feature_names", "age,city,size,member,income"));
  }

  /** Tools would take columns by their order otherwise, which may not be that of the model. */
  @Test
  void theFeaturesAreNamedAlsoWhereInputsAndOutputsAreStated() throws IOException {
    ModelFiles files = TestModels.files(directory, named());
    ModelConfig completed = complete(files, TestModels.bare("m"));
    ModelConfig stated = completed.toBuilder().parameters(Map.of()).build();

    assertThat(complete(files, stated)).isEqualTo(completed);
  }

  @Test
  void namesThatCommasDoNotPartAreNotShown() throws IOException {
    String text = Files.readString(named()).replace("\"city\"", "\"city, country\"");

    assertThat(complete(TestModels.files(directory, "model.json", text), TestModels.bare("m")))
        .extracting(ModelConfig::parameters)
        .isEqualTo(Map.of());
  }

  @Test
  void whatLightGbmNumbersHasNoNames() {
    assertThat(complete(TestModels.model(TestModels.named("lgb_regression"))).parameters())
        .isEmpty();
  }

  @Test
  void theIterationsOfEarlyStoppingAreShownUnlessTheyAreStated() {
    ModelFiles files =
        TestModels.files(directory, TestModels.model(TestModels.named("xgb_earlyforest")));
    var used = TreesFile.of(files, TestModels.bare("m")).read().trees().iterations();
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext")); // with other digits
    try {
      assertThat(complete(files, TestModels.bare("m")).parameters())
          .containsEntry("iteration_range", "0," + (used.best() + 1));
    } finally {
      Locale.setDefault(before);
    }

    var all = TestModels.withParameters(TestModels.bare("m"), Map.of("iteration_range", "all"));
    assertThat(complete(files, all).parameters()).containsEntry("iteration_range", "all");
  }

  @Test
  void aModelOfOneRowIsWarnedOf() {
    ModelFiles files =
        TestModels.files(directory, TestModels.model(TestModels.named("xgb_softprob")));
    var output = TestModels.tensor("prediction", DataType.FP32, 4);
    var oneRow = TestModels.bare("m").withSignature(0, List.of(), List.of(output));
    try (var backend = new TreesBackendProvider().open(TestContext.of("trees", Map.of()))) {
      assertThat(backend.warnings(complete(files, oneRow)))
          .containsExactly(
              "model 'm': a request has one row, as the configuration states no max_batch_size; for"
                  + " more: max_batch_size: 1024");
      assertThat(backend.warnings(complete(files, TestModels.bare("m")))).isEmpty();
      var columns = TestModels.withParameters(oneRow, Map.of("columns", "true"));
      assertThat(backend.warnings(columns)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "colums, columns",
    "Columns, columns",
    "feature_name, feature_names",
    "iteration-range, iteration_range",
    "ofset, offset",
    "output.prediciton, output.prediction",
    "columns,",
    "output.prediction,",
    "colu,",
    "owner,",
    "storage_type,",
  })
  void aParameterWithNearlyTheNameOfOneIsWarnedOf(String name, String meant) {
    var output = TestModels.tensor("prediction", DataType.FP32, 4);
    var config = TestModels.bare("m").withSignature(8, List.of(), List.of(output));
    try (var backend = new TreesBackendProvider().open(TestContext.of("trees", Map.of()))) {
      assertThat(backend.warnings(TestModels.withParameters(config, Map.of(name, "true"))))
          .isEqualTo(
              meant == null
                  ? List.of()
                  : List.of(
                      "model 'm': the parameter '%s' has no effect; did you mean '%s'?"
                          .formatted(name, meant)));
    }
  }
}
