package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.protocol.config.ModelConfig;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configurations read from a file or detected from a directory, with the server's defaults. */
class ModelConfigReaderTest {
  @TempDir private Path repository;
  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          simple              | max_batch_size: 8  | ''
          identity_fp32       | max_batch_size: 0  | ''
          identity_fp32_batch | max_batch_size: 8  | dynamic_batching { }
          mlp                 | max_batch_size: 64 | dynamic_batching { preferred_batch_size: [ 8, 16 ] max_queue_delay_microseconds: 100 }
          mlp_labels          | max_batch_size: 64 | dynamic_batching { }
          convnet             | max_batch_size: 16 | dynamic_batching { }
          """)
  void readsTheBenchmarkModels(String name, String batching, String scheduler) {
    var model =
        ModelOnDisk.named(repository, name)
            .withConfig(
                """
                name: "%s"
                platform: "onnxruntime_onnx"
                %s
                input [
                  { name: "INPUT0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
                ]
                output [
                  { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 10 ] label_filename: "labels.txt" }
                ]

                instance_group [ { count: 1 kind: KIND_CPU } ]
                parameters { key: "intra_op_thread_count" value: { string_value: "1" } }
                %s
                """
                    .formatted(name, batching, scheduler));

    for (boolean autoComplete : new boolean[] {true, false}) {
      var config =
          new ModelConfigReader(
                  new ConfigSettings(autoComplete, Optional.empty(), ConfigLimits.DEFAULT))
              .read(model.directory())
              .message();
      assertThat(config.getBackend()).isEqualTo("onnxruntime");
      assertThat(config.getDefaultModelFilename()).isEqualTo("model.onnx");
      assertThat(config.hasDynamicBatching()).isEqualTo(!scheduler.isEmpty());
    }
  }

  @Test
  void appliesTheServersDefaults() {
    ModelConfig config = read("backend: 'onnxruntime' max_batch_size: 8 dynamic_batching {}");

    assertThat(config.getName()).isEqualTo("m");
    assertThat(config.getPlatform()).isEqualTo("onnxruntime_onnx");
    assertThat(config.getVersionPolicy().getLatest().getNumVersions()).isEqualTo(1);
    assertThat(config.getDynamicBatching().getPreferredBatchSizeList()).containsExactly(8);
    assertThat(config.getOptimization().getInputPinnedMemory().getEnable()).isTrue();
    assertThat(config.getOptimization().getOutputPinnedMemory().getEnable()).isTrue();
  }

  @Test
  void prefersTheFileToTheDefaults() {
    String said =
        "name: 'm' backend: 'onnxruntime' platform: 'onnxruntime_onnx' max_batch_size: 8"
            + " version_policy { all {} } default_model_filename: 'x'"
            + " dynamic_batching { preferred_batch_size: 2 } optimization {"
            + " input_pinned_memory { enable: false } output_pinned_memory { enable: false } }";
    ModelConfig config = read(said);

    assertThat(config.getVersionPolicy().hasAll()).isTrue();
    assertThat(config.getDynamicBatching().getPreferredBatchSizeList()).containsExactly(2);
    assertThat(config.getOptimization().getInputPinnedMemory().getEnable()).isFalse();
    assertThat(config.getOptimization().getOutputPinnedMemory().getEnable()).isFalse();
    assertThat(config.getDefaultModelFilename()).isEqualTo("x");
  }

  @Test
  void addsIdleTimeAndPreferredSizesToASequenceModel() {
    var sequences =
        read("backend: 'b' max_batch_size: 4 sequence_batching { oldest {} }")
            .getSequenceBatching();

    assertThat(sequences.getMaxSequenceIdleMicroseconds()).isEqualTo(1_000_000);
    assertThat(sequences.getOldest().getPreferredBatchSizeList()).containsExactly(4);
  }

  @Test
  void leavesOptimizationOfAnEnsembleUnset() {
    ModelConfig config =
        read(
            "platform: 'ensemble' ensemble_scheduling { step { model_name: 's'"
                + " input_map { key: 'i' value: 'a' } output_map { key: 'o' value: 'b' } } }"
                + " input { name: 'a' } output { name: 'b' }");

    assertThat(config.hasOptimization()).isFalse();
    assertThat(config.getBackend()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "platform: 'tensorflow_graphdef', , tensorflow, tensorflow_graphdef, model.graphdef",
    "platform: 'tensorrt_plan', , tensorrt, tensorrt_plan, model.plan",
    "platform: 'libtorch', , pytorch, libtorch, model.pt",
    "default_model_filename: 'model.pt2', , pytorch, torch_aoti, model.pt2",
    "default_model_filename: 'model.onnx', , onnxruntime, onnxruntime_onnx, model.onnx",
    ", 1/model.savedmodel/x, tensorflow, tensorflow_savedmodel, model.savedmodel",
    ", 1/model.onnx, onnxruntime, onnxruntime_onnx, model.onnx",
    ", 1/model.onnx/x, onnxruntime, onnxruntime_onnx, model.onnx",
    ", 1/model.xml, openvino, , model.xml",
    ", 1/model.py, python, , model.py",
    "backend: 'pytorch', 1/model.pt2, pytorch, torch_aoti, model.pt2",
    "backend: 'pytorch', 1/other, pytorch, pytorch_libtorch, model.pt",
    "backend: 'onnxruntime' default_model_filename: 'x', , onnxruntime, onnxruntime_onnx, x",
    "backend: 'mine', 1/model.onnx, mine, , ",
  })
  void detectsBackendPlatformAndFile(
      String config, String file, String backend, String platform, String filename) {
    var model = ModelOnDisk.named(repository, "m").withConfig(text(config));
    if (file != null) {
      model.withFile(file, "");
    }

    ModelConfig detected = reader.read(model.directory()).message();

    assertThat(detected.getBackend()).isEqualTo(backend);
    assertThat(detected.getPlatform()).isEqualTo(text(platform));
    assertThat(detected.getDefaultModelFilename()).isEqualTo(text(filename));
  }

  @Test
  void takesTheBackendFromTheNameAsALastResort() {
    var model = ModelOnDisk.named(repository, "x.gate").withDirectory("1");

    ModelConfig config = reader.read(model.directory()).message();

    assertThat(config.getBackend()).isEqualTo("gate");
    assertThat(config.getDefaultModelFilename()).isEqualTo("model.gate");
    assertThat(config.getPlatform()).isEmpty();
  }

  @Test
  void prefersTheNamedConfiguration() {
    var model =
        ModelOnDisk.named(repository, "m")
            .withConfig("backend: 'plain'")
            .withFile("configs/small.pbtxt", "backend: 'small'");

    assertThat(
            new ModelConfigReader(
                    new ConfigSettings(true, Optional.of("small"), ConfigLimits.DEFAULT))
                .read(model.directory())
                .message())
        .extracting(ModelConfig::getBackend)
        .isEqualTo("small");
  }

  @Test
  void readsAnOverrideInsteadOfTheFile() {
    var model = ModelOnDisk.named(repository, "m").withConfig("backend: 'file' max_batch_size: 4");

    ModelConfig config =
        reader.readOverride(model.directory(), "{\"backend\": \"load\"}").message();

    assertThat(config.getBackend()).isEqualTo("load");
    assertThat(config.getMaxBatchSize()).isZero();
    assertThatThrownBy(() -> reader.readOverride(model.directory(), "{\"what\": 1}"))
        .hasMessageStartingWith("Invalid config override: ");
  }

  private ModelConfig read(String config) {
    return reader.read(ModelOnDisk.named(repository, "m").withConfig(config).directory()).message();
  }

  private static String text(String maybe) {
    return maybe == null ? "" : maybe;
  }
}
