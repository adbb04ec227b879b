package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.lint.CompletedConfig;
import io.nereid.engine.model.lint.Finding;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What lint passes loads, and what lint refuses does not: the repositories of this project that
 * have their files, and repositories of the model files of the backends' tests.
 */
@Timeout(300)
class LintAndLoadTest {
  private static final Path ONNX = Path.of("..", "backend-onnx/src/test/resources/models");
  private static final Path TREES = Path.of("..", "backend-trees/src/test/resources/models");

  @TempDir private Path repository;

  private final BackendCatalog backends =
      new BackendCatalog(
          new PluginSettings(Path.of("none"), Map.of("java", Map.of("allow", "true"))), List.of());
  private final LintSettings settings =
      new LintSettings(Optional.empty(), ConfigSettings.DEFAULT, Optional.of(backends));

  /** How many models lint has passed, and how many it has refused. */
  private int passed;

  private int refused;

  @AfterEach
  void close() {
    backends.close();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().matches(".*(\\.onnx|model\\.(json|ubj|txt|tl))"))
          .sorted()
          .toList();
    }
  }

  /** The directory of a model; its name is that of the file, or of its folder, with a suffix. */
  private Path model(Path file, String suffix, String config) throws IOException {
    boolean isOnnx = file.toString().endsWith(".onnx");
    String name =
        isOnnx
            ? file.getFileName().toString().replace(".onnx", "")
            : file.getName(file.getNameCount() - 2).toString();
    Path model = repository.resolve(name + suffix);
    Files.createDirectories(model.resolve("1"));
    Files.copy(
        file, model.resolve("1").resolve(isOnnx ? "model.onnx" : file.getFileName().toString()));
    Files.writeString(
        model.resolve("config.pbtxt"),
        config.isEmpty() ? "backend: '%s'".formatted(isOnnx ? "onnxruntime" : "trees") : config);
    return model;
  }

  /** Where lint and a load differ, by model. */
  private Map<String, String> differences(Path models) throws IOException {
    List<Path> directories;
    try (Stream<Path> all = Files.list(models)) {
      directories = all.filter(Files::isDirectory).sorted().toList();
    }
    Map<String, String> differences = new TreeMap<>();
    try (Engine engine =
        Engine.builder()
            .repository(models)
            .startWith()
            .backendSetting("java", "allow", "true")
            .open()) {
      for (Path directory : directories) {
        String name = directory.getFileName().toString();
        LintReport report = RepositoryLint.run(settings, List.of(directory));
        String findings =
            report.findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                .map(Finding::message)
                .toList()
                .toString();
        try {
          engine.load(name);
          engine.unload(name);
          if (report.errors() > 0) {
            differences.put(name, "loads, but lint says " + findings);
          }
        } catch (InferenceException failed) {
          if (report.errors() == 0) {
            differences.put(name, "lint passes, but " + failed.getMessage());
          }
        }
        passed += report.errors() == 0 ? 1 : 0;
        refused += report.errors() == 0 ? 0 : 1;
      }
    }
    return differences;
  }

  @Test
  void lintAndLoadAgreeOnTheRepositoriesOfThisProject() throws IOException {
    for (String each :
        List.of(
            "../examples/models",
            "../examples/java-models",
            "../examples/ocr/models",
            "../examples/langchain4j/src/test/models",
            "../deploy/cluster/models",
            "../tck/src/main/resources/io/nereid/tck/models")) {
      assertThat(differences(Path.of(each))).as(each).isEmpty();
    }
    assertThat(passed).isGreaterThan(8);
  }

  @Test
  void lintAndLoadAgreeOnEachModelFileWithoutInputsAndOutputs() throws IOException {
    for (Path file : Stream.concat(files(ONNX).stream(), files(TREES).stream()).toList()) {
      model(file, "", "");
    }

    assertThat(differences(repository)).isEmpty();
    assertThat(passed).isGreaterThan(80);
    assertThat(refused).isPositive();
  }

  /** A configuration with mistakes: each replaces the first of what it is about. */
  private static List<String> mistaken(String config) {
    String type = config.contains("TYPE_FP32") ? "TYPE_FP32" : "TYPE_INT32";
    return Stream.of(
            config.replaceFirst("(input \\{\\s+name: \")", "$1no"),
            config.replaceFirst("(output \\{\\s+name: \")", "$1no"),
            config.replaceFirst(type, DataType.FP64.configName()),
            config.replaceFirst("(output \\{\\s+name: .*\\s+data_type: )\\w+", "$1TYPE_INT32"),
            config.replaceFirst("dims: -?\\d+", "dims: 17"),
            config.replaceFirst("(output \\{[^}]+dims: )-?\\d+", "$117"),
            config.replaceFirst("dims: (-?\\d+)", "dims: $1\n dims: 1"),
            config.replaceFirst("max_batch_size: \\d+", "max_batch_size: 0"),
            config + "parameters { key: 'output.x' value { string_value: 'nothing' } }",
            config
                + "model_warmup { name: 'w' batch_size: 1 inputs { key: 'x' value {"
                + " data_type: TYPE_FP32 dims: 1 zero_data: true } } }")
        .filter(each -> !each.equals(config))
        .toList();
  }

  @Test
  void lintAndLoadAgreeWhereInputsAndOutputsAreStated() throws IOException {
    List<Path> onnx = files(ONNX);
    List<Path> trees = files(TREES);
    List<Path> files = new ArrayList<>(onnx);
    for (int i = 0; i < trees.size(); i += 7) { // one of each kind
      files.add(trees.get(i));
    }
    for (Path file : files) {
      String stated = stated(file);
      if (stated.isEmpty()) {
        continue; // a file that does not load
      }
      model(file, "_stated", stated);
      int number = 0;
      for (String wrong : mistaken(stated)) {
        model(file, "_wrong_" + number++, wrong);
      }
    }

    assertThat(differences(repository)).isEmpty();
    assertThat(passed).isGreaterThan(files.size() - 10);
    assertThat(refused).isGreaterThan(100);
  }

  /** The completed configuration of a file, without the model's name; empty if there is none. */
  private String stated(Path file) throws IOException {
    Path bare = model(file, "_bare", "");
    try {
      return new CompletedConfig(settings).text(bare).replaceFirst("name: .*\n", "");
    } catch (InferenceException unreadable) {
      return "";
    }
  }
}
