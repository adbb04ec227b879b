package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Configurations that would lead ONNX Runtime to files and libraries. */
class ForeignConfigurationTest {
  @TempDir private Path folder = Path.of("");
  private ModelFiles files = new ModelFiles(folder, 1);

  @BeforeEach
  void copyTheModel() throws IOException {
    Path original = TestModels.files("simple").file("model.onnx");
    Path directory = folder.resolve("simple");
    Files.createDirectories(directory.resolve("1"));
    Files.copy(original, directory.resolve("1").resolve("model.onnx"));
    files = new ModelFiles(directory, 1);
  }

  private static final ModelConfig SIMPLE = TestModels.bare("simple");

  /** Completes, loads and opens the model; returns the failure, or null. */
  private @Nullable Throwable load(
      Map<String, String> options, ModelFiles from, ModelConfig config) {
    return catchThrowable(() -> {
      try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime", options))) {
        ModelConfig completed = backend.complete(from, config);
        var instance =
            new InstanceSettings("i", InstanceSettings.Kind.KIND_CPU, 0, List.of(), false);
        try (var model = backend.load(from, completed)) {
          model.open(instance).close();
        }
      }
    });
  }

  private static ModelConfig withParameter(String key, String value) {
    return TestModels.withParameters(SIMPLE, Map.of(key, value));
  }

  private Set<Path> everything() throws IOException {
    try (var all = Files.walk(folder)) {
      return Set.copyOf(all.toList());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "session.collect_node_memory_stats_to_file",
        "session.optimized_model_filepath",
        "session.optimized_model_external_initializers_file_name",
        "session.enable_profiling",
        "session.resource_cuda_partitioning_settings",
        "session.node_partition_config_file",
        "session.debug_layout_transformation",
        "session.model_external_initializers_file_folder_path",
        "session.intra_op.spin_duration_us ",
        "session.",
      })
  void aParameterThatMayLeadToAFileIsRefusedWithTheOptionThatAllowsIt(String key)
      throws IOException {
    Set<Path> before = everything();

    Throwable failure =
        load(Map.of(), files, withParameter(key, folder.resolve("written").toString()));

    assertThat(failure)
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("model 'simple': parameter '" + key + "'")
        .hasMessageContaining("--backend-config=onnxruntime,allowed-parameters=" + key);
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void theOperatorMayAllowAParameter() {
    String key = "session.optimized_model_filepath";
    var config = withParameter(key, folder.resolve("optimized.onnx").toString());

    assertThat(load(Map.of("allowed-parameters", "session.log_id;" + key), files, config)).isNull();
    assertThat(folder.resolve("optimized.onnx")).isRegularFile();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache_dir", "load_config", "context"})
  void aParameterOfAnAcceleratorThatMayLeadToAFileIsRefused(String key) {
    var config =
        TestModels.withAccelerator(
            SIMPLE, new Accelerator("openvino", Map.of(key, folder.toString())));

    assertThat(load(Map.of(), files, config))
        .hasMessageContaining("model 'simple': parameter '" + key + "' of accelerator 'openvino'")
        .hasMessageContaining("--backend-config=onnxruntime,allowed-parameters=" + key);
  }

  private static ModelConfig withLibrary(String library) {
    return TestModels.withOperationLibraries(SIMPLE, List.of(library));
  }

  @Test
  void aLibraryOfOperatorsIsNotOpenedUnlessTheOperatorAllowsIt() throws IOException {
    Files.writeString(files.modelDirectory().resolve("operators.so"), "not a library");

    assertThat(load(Map.of(), files, withLibrary("operators.so")))
        .hasMessageContaining("model 'simple': library 'operators.so' of 'model_operations'")
        .hasMessageContaining("--backend-config=onnxruntime,custom-operators=true");
    assertThat(load(Map.of("custom-operators", "true"), files, withLibrary("operators.so")))
        .hasMessageContaining("operators.so: "); // the linker has tried
  }

  @ParameterizedTest
  @ValueSource(strings = {"../operators.so", "link.so", "1/../../operators.so", "\0"})
  void aLibraryOfOperatorsIsOpenedFromTheModelsDirectoryOnly(String name) throws IOException {
    Path outside = Files.writeString(folder.resolve("operators.so"), "not a library");
    Files.createSymbolicLink(files.modelDirectory().resolve("link.so"), outside);
    var allowed = Map.of("custom-operators", "true");

    assertThat(load(allowed, files, withLibrary(name)))
        .hasMessageContaining("' of 'model_operations' is outside model directory");
    assertThat(load(allowed, files, withLibrary(outside.toString())))
        .hasMessageContaining("is outside model directory");
  }
}
