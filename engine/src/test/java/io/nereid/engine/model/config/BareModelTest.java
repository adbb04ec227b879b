package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration of a model file without a layout, as it is read before its backend sees it. */
class BareModelTest {
  @TempDir private Path folder;

  private void write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private ModelDirectory directory() {
    return new ModelDirectory(folder, "digits", /* isBare= */ true);
  }

  private ModelConfig config() {
    return new ModelConfigReader(ConfigSettings.DEFAULT).read(directory()).message();
  }

  private void refused(String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(this::config)
        .withMessage("model 'digits': " + message.replace("<folder>", folder.toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "model.onnx,onnxruntime,onnxruntime_onnx",
    "resnet50.v2.onnx,onnxruntime,onnxruntime_onnx",
    "model.plan,tensorrt,tensorrt_plan",
    "credit.plan,tensorrt,tensorrt_plan",
    "model.json,trees,''",
    "model.txt,trees,''",
    "model.bst,trees,''",
    "credit.ubj,trees,''",
    "forest.tl,trees,''"
  })
  void aFileIsFoundByItsNameAndTellsItsBackend(String file, String backend, String platform)
      throws IOException {
    write(file, "");

    ModelConfig config = config();

    assertThat(config.getName()).isEqualTo("digits");
    assertThat(config.getDefaultModelFilename()).isEqualTo(file);
    assertThat(config.getBackend()).isEqualTo(backend);
    assertThat(config.getPlatform()).isEqualTo(platform);
  }

  @Test
  void otherFilesBesideItAreItsOwn() throws IOException {
    write("model.onnx", "");
    for (String other :
        new String[] {
          "model.onnx.data",
          "model.onnx_data",
          "tokenizer.json",
          "vocab.txt",
          "README.md",
          ".model.onnx",
          "data/weights.onnx",
          "warmup/1/x",
          "lost+found/x"
        }) {
      write(other, "");
    }

    assertThat(config().getDefaultModelFilename()).isEqualTo("model.onnx");
    assertThat(directory().versions()).containsExactly(1L);
    ModelFiles files = directory().files(1, ModelFiles.Trust.OPERATOR);
    assertThat(files.file("model.onnx")).isEqualTo(folder.resolve("model.onnx"));
    assertThat(files.file("data/weights.onnx")).isEqualTo(folder.resolve("data/weights.onnx"));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> files.file("../other/model.onnx"))
        .withMessageEndingWith("is outside model directory");
  }

  @Test
  void aFileMayBeALinkAsInAVolumeOfKubernetes() throws IOException {
    write("..2026_11_27/model.onnx", "");
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_11_27"));
    Files.createSymbolicLink(folder.resolve("model.onnx"), Path.of("..data/model.onnx"));

    assertThat(config().getDefaultModelFilename()).isEqualTo("model.onnx");
  }

  @Test
  void theConfigurationBesideItIsUsed() throws IOException {
    write("a.onnx", "");
    write("b.onnx", "");
    write("config.pbtxt", "default_model_filename: \"b.onnx\" max_batch_size: 8");

    ModelConfig config = config();

    assertThat(config.getDefaultModelFilename()).isEqualTo("b.onnx");
    assertThat(config.getBackend()).isEqualTo("onnxruntime");
    assertThat(config.getMaxBatchSize()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"backend: \"trees\"", "backend: \"trees\" max_batch_size: 4"})
  void theBackendOfTheConfigurationTellsWhichFileIsMeant(String text) throws IOException {
    write("model.onnx", "");
    write("model.json", "");
    write("config.pbtxt", text);

    assertThat(config().getDefaultModelFilename()).isEqualTo("model.json");
    assertThat(config().getBackend()).isEqualTo("trees");
  }

  @Test
  void thePlatformOfTheConfigurationTellsWhichFileIsMeant() throws IOException {
    write("model.onnx", "");
    write("model.plan", "");
    write("config.pbtxt", "platform: \"onnxruntime_onnx\"");

    assertThat(config().getDefaultModelFilename()).isEqualTo("model.onnx");
    assertThat(config().getBackend()).isEqualTo("onnxruntime");
  }

  @Test
  void aFolderOfHuggingFaceIsATextModel() throws IOException {
    write("config.json", "{}");
    write("tokenizer.json", "{}");
    write("model.onnx", "");

    assertThat(config().getBackend()).isEqualTo("text");
    assertThat(config().getDefaultModelFilename()).isEmpty();
  }

  @Test
  void aBackendOfTheUsersFindsItsFileItself() throws IOException {
    write("weights.bin", "");
    write("config.pbtxt", "backend: \"mine\"");

    assertThat(config().getBackend()).isEqualTo("mine");
    assertThat(config().getDefaultModelFilename()).isEmpty();
  }

  @Test
  void noFileIsRefused() throws IOException {
    write("vocab.txt", "");

    refused(
        "'<folder>' has no model file, expected one of *.onnx, *.plan, *.ubj, *.bst, *.tl,"
            + " model.json, model.txt, or config.json with tokenizer.json, or a config.pbtxt that"
            + " names the backend");
  }

  @Test
  void noFileOfTheBackendIsRefused() throws IOException {
    write("model.onnx", "");
    write("config.pbtxt", "backend: \"trees\"");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(this::config)
        .withMessageStartingWith(
            "model 'digits': '%s' has no model file for backend 'trees', expected one of"
                .formatted(folder));
  }

  @ParameterizedTest
  @CsvSource({
    "a.onnx,b.onnx",
    "model.onnx,model.plan",
    "model.json,model.onnx",
    "a.bst,model.json"
  })
  void twoFilesAreRefused(String first, String second) throws IOException {
    write(second, "");
    write(first, "");

    refused(
        "'<folder>' has %s and %s: default_model_filename in config.pbtxt must name one"
            .formatted(first, second));
  }

  @ParameterizedTest
  @CsvSource({"1/model.onnx,1", "other/config.pbtxt,other", "other/3/model.onnx,other"})
  void aLayoutIsRefusedAlsoBesideAFile(String file, String shown) throws IOException {
    String message =
        "--model-name is for a model file without directories of models or versions, but"
            + " '<folder>' has '%s'".formatted(shown);
    write(file, "");
    refused(message);

    write("model.onnx", "");
    refused(message);
  }

  @Test
  void anotherNameInTheConfigurationIsRefused() throws IOException {
    write("model.onnx", "");
    write("config.pbtxt", "name: \"resnet\"");

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(this::config)
        .withMessageStartingWith(
            "unexpected name 'digits' by --model-name for model 'resnet' of the configuration");
  }

  @Test
  void theConfigurationOfALoadRequestIsCompletedInTheSameWay() throws IOException {
    write("model.onnx", "");

    var override =
        new ModelConfigReader(ConfigSettings.DEFAULT)
            .readOverride(directory(), "{\"max_batch_size\":2}");

    assertThat(override.message().getDefaultModelFilename()).isEqualTo("model.onnx");
    assertThat(override.message().getMaxBatchSize()).isEqualTo(2);
  }
}
