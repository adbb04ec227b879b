package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.error.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of invalid configurations. */
class ConfigMistakesTest {
  @TempDir private Path repository;
  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);
  private final ModelConfigReader strict =
      new ModelConfigReader(new ConfigSettings(false, Optional.empty(), ConfigLimits.DEFAULT));

  @ParameterizedTest
  @ValueSource(strings = {"plain", "dot."})
  void rejectsAModelWhoseBackendIsUnknown(String name) {
    var model = ModelOnDisk.named(repository, name).withConfig("ensemble_scheduling {}");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .hasMessageContaining(
            "Invalid model name: Could not determine backend for model '%s' with no backend in"
                    .formatted(name)
                + " model configuration");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1/churn_xgb.json||Found 'churn_xgb.json': name it model.json, or write backend: \"trees\" default_model_filename: \"churn_xgb.json\" into config.pbtxt.",
        "1/weights||Found 'weights': write backend and default_model_filename into config.pbtxt.",
        "1/a.ubj|default_model_filename: 'a.ubj'|no backend is known of default_model_filename 'a.ubj', and the configuration names none: name it model.ubj, or write backend: \"trees\" default_model_filename: \"a.ubj\" into config.pbtxt",
      })
  void saysWhatToDoWithAFileOfAnotherName(String file, String config, String end) {
    var model =
        ModelOnDisk.named(repository, "m")
            .withConfig(config == null ? "" : config)
            .withFile(file, "")
            .withFile(file + ".md", "");

    assertThatThrownBy(() -> reader.read(model.directory())).hasMessageContaining(end);
  }

  @Test
  void saysWhereTheRepositoryIsIfAVersionIsTakenForAModel() {
    var version = ModelOnDisk.named(repository.resolve("m"), "1").withFile("model.json", "");

    assertThatThrownBy(() -> reader.read(version.directory()))
        .hasMessageContaining("Could not determine backend for model '1'")
        .hasMessageEndingWith(
            " '%s' is a model's folder; the repository is '%s'."
                .formatted(repository.resolve("m"), repository));
  }

  @Test
  void saysWhereAFileBesideTheVersionsBelongs() {
    var model =
        ModelOnDisk.named(repository, "m")
            .withDirectory("1")
            .withFile("a.md", "")
            .withFile("model.json", "");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .hasMessageEndingWith("no file in a directory of a version: move 'model.json' into '1/'.");
  }

  @Test
  void requiresABackendOfAnEnsembleWithoutItsPlatform() {
    var model = ModelOnDisk.named(repository, "e").withConfig("ensemble_scheduling { step {} }");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .hasMessageStartingWith("Invalid model name: Could not determine backend for model 'e'")
        .hasMessageContaining("An ensemble has platform: \"ensemble\".");
  }

  @Test
  void rejectsANameOtherThanTheDirectorys() {
    var model = ModelOnDisk.named(repository, "d").withConfig("name: 'n' backend: 'b'");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .hasMessage(
            "unexpected directory name 'd' for model 'n', directory name must equal model name"
                + " (config.pbtxt:1:1, name)");
  }

  @Test
  void reportsAnotherMistakeBeforeANameOtherThanTheDirectorys() {
    var model = ModelOnDisk.named(repository, "d").withConfig("name: 'n' platform: 'ensemble'");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .hasMessageStartingWith(
            "ensemble scheduling must be set for ensemble n whose platform is ensemble");
  }

  @Test
  void requiresAFileWithoutAutomaticCompletion() {
    var model = ModelOnDisk.named(repository, "m.b");

    assertThatThrownBy(() -> strict.read(model.directory()))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("has no config.pbtxt");
    assertThat(reader.read(model.directory()).message().getBackend()).isEqualTo("b");
  }

  @Test
  void validatesInputsOnlyWithoutAutomaticCompletion() {
    var model = ModelOnDisk.named(repository, "m").withConfig("backend: 'b' input { name: 'i' }");

    assertThat(reader.read(model.directory()).message().getInputCount()).isEqualTo(1);
    assertThatThrownBy(() -> strict.read(model.directory()))
        .hasMessage(
            "model input 'i' must specify 'data_type' for m"
                + " (config.pbtxt:1:14, input[0].data_type)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max_batch_size: 'x'  | 2 | 17",
        "nonsense: 1          | 2 | 1",
        "input { dims: }      | 2 | 9",
      })
  void theErrorNamesFileLineAndColumn(String line, int row, int column) {
    var model = ModelOnDisk.named(repository, "m").withConfig("name: 'm'\n" + line + "\n");

    assertThatThrownBy(() -> reader.read(model.directory()))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith(
            "failed to read text proto from %s:%d:%d: "
                .formatted(model.path().resolve("config.pbtxt"), row, column));
  }

  @Test
  void rejectsAFileThatIsNotText() throws IOException {
    var model = ModelOnDisk.named(repository, "m");
    Files.write(model.path().resolve("config.pbtxt"), new byte[] {'n', 0, (byte) 0xff});

    assertThatThrownBy(() -> reader.read(model.directory()))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("config.pbtxt:1:2: the file is not text: it has a byte 0 here");
  }

  /** Any bytes result in a configuration or an error. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void readsOrRejectsAnyText(int seed) {
    var random = new Random(seed);
    String text =
        "backend: 'b' max_batch_size: 8 input { name: 'i' dims: [ 1, -1 ] } dynamic_batching {}";
    for (int round = 0; round < 200; round++) {
      var broken = new StringBuilder(text);
      for (int i = 0; i <= random.nextInt(4); i++) {
        broken.setCharAt(random.nextInt(broken.length()), (char) random.nextInt(1, 128));
      }
      var model = ModelOnDisk.named(repository, "m").withConfig(broken.toString());
      try {
        assertThat(reader.read(model.directory()).message().getName()).isNotEmpty();
      } catch (InferenceException expected) {
        assertThat(expected.getMessage()).as("seed %d: %s", seed, broken).isNotBlank();
      }
    }
  }
}
