package io.nereid.server.telemetry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.backend.BackendFolder;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.support.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a backend logs, in the log of a server in a process of its own. */
@Timeout(120)
class BackendLogProcessTest {
  private static final String SOURCE =
      """
      package made;

      import io.nereid.config.ModelConfig;
      import io.nereid.spi.*;
      import java.lang.System.Logger.Level;

      public final class Talker implements BackendProvider {
        @Override public String name() { return "talker"; }
        @Override public Backend open(BackendContext context) {
          context.logger().log(Level.INFO, "by the context");
          context.logger().log(Level.DEBUG, "a detail by the context");
          System.getLogger(Talker.class.getName()).log(Level.INFO, "by System.Logger");
          java.util.logging.Logger.getLogger("made.other").info("by java.util.logging");
          System.getLogger("library.Thing").log(Level.INFO, "information of a library");
          System.getLogger("library.Thing").log(Level.WARNING, "warning of a library");
          return new Backend() {
            @Override public Model load(ModelFiles files, ModelConfig config) {
              throw io.nereid.error.InferenceException.unsupported("no models");
            }
            @Override public void close() {}
          };
        }
      }
      """;

  @TempDir private Path directory;

  private List<String> logOf(String... options) throws Exception {
    Path models = directory.resolve("models");
    ModelOnDisk.of(models, "m", "backend: \"talker\"");
    String[] all = new String[options.length + 2];
    all[0] = "--exit-on-error=false";
    all[1] = "--backend-config=talker,misspelt=1";
    System.arraycopy(options, 0, all, 2, options.length);
    try (var process = ServerProcess.start(directory, models, all)) {
      var _ = process.httpPort();
      process.terminate();
      assertThat(process.exitStatus()).isZero();
      return process.log();
    }
  }

  private static String line(char level, String source, String message) {
    return "%s\\d{4} [\\d:.]{15} \\d+ %s] \"%s\"".formatted(level, source, message);
  }

  @Test
  void whatABackendLogsIsInTheLogWithItsName() throws Exception {
    BackendFolder.of(Files.createDirectories(directory.resolve("no-backends")), "folder")
        .withProviderClass("Talker", SOURCE);

    assertThat(logOf())
        .anySatisfy(line ->
            assertThat(line).matches(line('I', "talker/Talker\\.java:\\d+", "by the context")))
        .anySatisfy(line ->
            assertThat(line).matches(line('I', "folder/Talker\\.java:\\d+", "by System\\.Logger")))
        .anySatisfy(line ->
            assertThat(line).matches(line('I', "folder/other:0", "by java\\.util\\.logging")))
        .anySatisfy(
            line -> assertThat(line).matches(line('W', "folder/Thing:0", "warning of a library")))
        .noneMatch(line -> line.contains("a detail by") || line.contains("information of a lib"))
        .anySatisfy(line ->
            assertThat(line)
                .endsWith(
                    "\"backend 'talker' has opened without reading its options [misspelt]: are the"
                        + " keys right?\""));
  }

  @Test
  void detailsAndInformationOfLibrariesAreShownByTheirLevels() throws Exception {
    BackendFolder.of(Files.createDirectories(directory.resolve("no-backends")), "folder")
        .withProviderClass("Talker", SOURCE);

    assertThat(logOf("--log-verbose=2"))
        .anyMatch(line -> line.contains("a detail by the context"))
        .anyMatch(line -> line.contains("information of a library"));
  }
}
