package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreesFileTest {
  private static final ModelConfig CONFIG = TestModels.bare("m");

  @TempDir Path directory;

  private static void assertRefused(
      ModelFiles files, ModelConfig config, StatusCode code, String message) {
    assertThatThrownBy(() -> TreesFile.of(files, config).read())
        .isInstanceOfSatisfying(
            InferenceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.json",
        "model.ubj",
        "model.txt",
        "model.tl",
        "xgboost.json",
        "xgboost.ubj",
        "xgboost.model",
        "checkpoint.tl"
      })
  void findsTheFileUnderItsUsualName(String name) {
    var files = TestModels.files(directory, name, "");

    assertThat(TreesFile.of(files, CONFIG).path()).isEqualTo(directory.resolve("1").resolve(name));
  }

  @Test
  void readsTheFileThatTheConfigurationNamesWhateverItsName() throws IOException {
    Path model = TestModels.model(TestModels.named("lgb_regression"));
    Files.createDirectories(directory.resolve("1"));
    Files.copy(model, directory.resolve("1/credit.model"));
    var files = new ModelFiles(directory, 1);

    assertThat(TreesFile.of(files, TestModels.withFile(CONFIG, "credit.model")).read().source())
        .isEqualTo("LightGBM v4");
  }

  @Test
  void saysWhichFileIsMissing() throws IOException {
    Files.createDirectories(directory.resolve("1"));
    var files = new ModelFiles(directory, 1);

    assertRefused(
        files,
        CONFIG,
        StatusCode.UNAVAILABLE,
        "unable to find model.json, model.ubj, model.txt, model.tl, xgboost.json, xgboost.ubj,"
            + " xgboost.model, checkpoint.tl in '%s' for model 'm'"
                .formatted(directory.resolve("1")));
    assertRefused(
        files,
        TestModels.withFile(CONFIG, "a.json"),
        StatusCode.UNAVAILABLE,
        "unable to find '%s' for model 'm'".formatted(directory.resolve("1/a.json")));
  }

  @Test
  void doesNotChooseBetweenTwoFiles() throws IOException {
    var files = TestModels.files(directory, "model.txt", "");
    Files.writeString(directory.resolve("1/model.json"), "");

    assertRefused(
        files,
        CONFIG,
        StatusCode.INVALID_ARGUMENT,
        "model 'm' has model.json and model.txt in '%s': default_model_filename must name one"
            .formatted(directory.resolve("1")));
  }

  @Test
  void takesTheFileOfTheModelType() throws IOException {
    var files = TestModels.files(directory, "xgboost.ubj", "");
    Files.writeString(directory.resolve("1/model.json"), "");
    var config = TestModels.withParameters(CONFIG, Map.of("model_type", "xgboost_ubj"));

    assertThat(TreesFile.of(files, config).path()).isEqualTo(directory.resolve("1/xgboost.ubj"));
  }

  @Test
  void staysInTheDirectoryOfTheModel() {
    var files = TestModels.files(directory.resolve("m"), "model.txt", "");

    assertThatThrownBy(() -> TreesFile.of(files, TestModels.withFile(CONFIG, "../../x/model.txt")))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("is outside model directory");
  }

  @Test
  void namesTheModelTheFileAndWhatIsWrong() {
    var files = TestModels.files(directory, "model.json", "{}");

    assertRefused(
        files,
        CONFIG,
        StatusCode.INVALID_ARGUMENT,
        "failed to load model 'm' from '%s': it has no 'trees' of XGBoost"
            .formatted(directory.resolve("1/model.json")));
  }
}
