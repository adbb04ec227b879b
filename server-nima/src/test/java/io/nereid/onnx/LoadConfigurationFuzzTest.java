package io.nereid.onnx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Any configuration of a load request, up to what ONNX Runtime would get: no file outside the
 * model's directory, no library, and memory in proportion to the text. The operator allows all that
 * can be allowed for models of a repository.
 */
class LoadConfigurationFuzzTest {
  private static final Path PATH = Path.of("/there/is/no/such/directory/m");
  private static final ModelFiles FILES = new ModelFiles(PATH, 1, ModelFiles.Trust.CLIENT);

  /** What is in the names of parameters that are, or lead to, files, code or addresses. */
  private static final Pattern DANGEROUS =
      Pattern.compile(
          "(?<!pro)file|path|dir|folder|profiling|dump|cache|lib|plugin|stats|external|settings|config"
              + "|calibration|user_|arena_cfg|context$|context_gen|debug|log_|compile",
          Pattern.CASE_INSENSITIVE);

  private final ModelConfigReader reader = new ModelConfigReader(ConfigSettings.DEFAULT);
  private final ModelConfigCompletion completion =
      new ModelConfigCompletion(ConfigSettings.DEFAULT);
  private final Permissions permissions =
      new Permissions(
          Set.of("session.enable_profiling", "trt_engine_cache_path", "cache_dir"), true);

  @FuzzTest
  void leadsOnnxRuntimeToNoFileAndNoLibrary(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          ModelConfig config;
          OnnxParameters parameters;
          try {
            config = read(new String(input, UTF_8));
            permissions.check(FILES, config);
            parameters = OnnxParameters.of(config);
          } catch (InferenceException rejected) {
            assertThat(rejected.getMessage()).isNotEmpty();
            return;
          }
          assertThat(config.operationLibraries()).isEmpty();
          assertThat(parameters.sessionEntries().keySet())
              .allSatisfy(LoadConfigurationFuzzTest::requireHarmless);
          accelerators(config)
              .flatMap(accelerator -> accelerator.parameters().keySet().stream())
              .forEach(LoadConfigurationFuzzTest::requireHarmless);
          requireInside(config);
        });
  }

  private ModelConfig read(String json) {
    var directory = new ModelDirectory(PATH);
    var polled = reader.readOverride(directory, json);
    return completion
        .complete(directory, polled, UnaryOperator.identity(), _ -> 1, List.of(0))
        .settings();
  }

  private static Stream<Accelerator> accelerators(ModelConfig config) {
    return Stream.concat(
        config.optimization().gpuAccelerators().stream(),
        config.optimization().cpuAccelerators().stream());
  }

  private static void requireHarmless(String key) {
    assertThat(key).doesNotContainPattern(DANGEROUS);
  }

  private static void requireInside(ModelConfig config) {
    List<String> names =
        Stream.concat(
                Stream.of(config.defaultModelFilename()),
                Map.copyOf(config.computeCapabilityFilenames()).values().stream())
            .toList();
    for (String name : names) {
      try {
        assertThat(FILES.file(name).normalize().startsWith(PATH)).isTrue();
      } catch (InferenceException outside) {
        assertThat(outside).hasMessageContaining("outside model directory");
      }
    }
  }
}
