package io.nereid.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.Main;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands in processes whose locale is not UTF-8, as without the launcher in a container. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class LocaleTest {
  private static final String REASON =
      "the locale's encoding is ANSI_X3.4-1968, not UTF-8; start with LC_ALL=C.UTF-8";

  private static final String CONFIG =
      """
      backend: "tck_echo"
      max_batch_size: 4
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] label_filename: "labels.txt" }
      """;

  @TempDir private Path repository;

  @BeforeEach
  void requireNamesInUtf8() {
    assumeThat(System.getProperty("sun.jnu.encoding")).isEqualTo("UTF-8");
  }

  private static List<String> run(int status, List<String> jvmOptions, String... arguments)
      throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    List<String> command = new ArrayList<>(List.of(java.toString()));
    command.addAll(jvmOptions);
    command.add(Main.class.getName());
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    List<String> printed =
        new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList();
    assertThat(process.waitFor()).as(String.join("\n", printed)).isEqualTo(status);
    assertThat(printed).noneMatch(line -> line.startsWith("\tat "));
    return printed;
  }

  @Test
  void lintNamesTheLocaleForNamesThatCannotBePaths() throws Exception {
    ModelOnDisk.of(repository, "模型", CONFIG);
    ModelOnDisk.of(repository, "a", CONFIG.replace("labels.txt", "метки.txt"))
        .withFile("метки.txt", "one");
    ModelOnDisk.of(repository, "b", CONFIG + "default_model_filename: \"模\"\n");
    ModelOnDisk.of(repository, "c", "backend: 1");

    assertThat(run(1, List.of(), "lint", "--no-backends", repository.toString()))
        .anyMatch(line -> line.startsWith(repository + ": error: model ") && line.endsWith(REASON))
        .anyMatch(line -> line.contains("/a/config.pbtxt:4:") && line.endsWith(REASON))
        .anyMatch(line -> line.contains("/b/config.pbtxt:5:") && line.endsWith(REASON))
        .anyMatch(line -> line.contains("/c/config.pbtxt:1:"));
    assertThat(run(2, List.of(), "lint", "--no-backends", "模型"))
        .anyMatch(line -> line.contains("cannot be a path: " + REASON));
  }

  @Test
  void theServerNamesTheLocaleForNamesThatCannotBePaths() throws Exception {
    ModelOnDisk.of(repository, "模型", CONFIG);

    assertThat(
            run(
                1,
                List.of("--enable-native-access=ALL-UNNAMED"),
                "serve",
                "--model-repository=" + repository,
                "--http-port=0",
                "--grpc-port=0",
                "--metrics-port=0"))
        .anyMatch(line -> line.startsWith("E") && line.contains(REASON))
        .anyMatch(line -> line.startsWith("nereid: 1 of 1 models did not load: "));
  }

  @Test
  void textsHaveTheDigitsOfAsciiInEveryLocale() throws Exception {
    ModelOnDisk.of(repository, "c", CONFIG + "version_policy { specific { versions: 1234 } }");

    assertThat(
            run(
                1,
                List.of("-Duser.language=fa", "-Duser.country=IR"),
                "lint",
                "--no-backends",
                repository.toString()))
        .anyMatch(line -> line.contains("version 1234 does not exist"));
  }
}
