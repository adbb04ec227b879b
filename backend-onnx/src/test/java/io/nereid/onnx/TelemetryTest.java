package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.error.InferenceException;
import io.nereid.spi.UserCache;
import io.nereid.tck.TestContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TelemetryTest {
  @TempDir private Path directory = Path.of("");

  @Test
  void leavesNoFileOfOnnxRuntimesTelemetryBehind() throws Exception {
    assertThat(filesOfProcessWith()).isEmpty();
  }

  @Test
  void leavesTelemetryToOnnxRuntimeIfTheOperatorSwitchesItOn() throws Exception {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    assertThat(filesOfProcessWith("telemetry=true")).isNotEmpty();
  }

  @Test
  void rejectsASettingThatIsNoBoolean() {
    var settings = TestContext.of("onnxruntime", Map.of("telemetry", "maybe"));
    assertThatThrownBy(() -> new OnnxBackendProvider().open(settings))
        .isInstanceOf(InferenceException.class)
        .hasMessage("backend 'onnxruntime': option 'telemetry' must be true or false, got 'maybe'");
  }

  /** What a process that loads a model leaves in its home, cache and temporary directory. */
  private List<Path> filesOfProcessWith(String... options) throws Exception {
    var command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:-UsePerfData",
            "-Djava.io.tmpdir=" + directory,
            "-cp",
            System.getProperty("java.class.path"),
            Loader.class.getName());
    command.command().addAll(List.of(options));
    command.command().add("cache-directory=" + UserCache.directory(System.getenv()));
    var environment = command.environment();
    environment.clear(); // ONNX Runtime's telemetry also heeds CI and variables like it
    for (String variable : List.of("HOME", "XDG_CACHE_HOME", "TMPDIR")) {
      environment.put(variable, Files.createDirectory(directory.resolve(variable)).toString());
    }
    environment.put("https_proxy", "http://127.0.0.1:9"); // nothing leaves this machine
    Path log = directory.resolve("log");
    var process = command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    try (var files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).filter(file -> !file.equals(log)).toList();
    }
  }

  /** Reads a model's file, with backend options as arguments. */
  static final class Loader {
    public static void main(String[] arguments) {
      var options = new HashMap<String, String>();
      for (String argument : arguments) {
        String[] option = argument.split("=", 2);
        options.put(option[0], option[1]);
      }
      try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime", options))) {
        var _ = backend.complete(TestModels.files("simple"), TestModels.bare("simple"));
      }
    }
  }
}
