package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.support.Launched;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend that ends the process: the log says which rule was verified. */
class CrashLogTest {
  @TempDir Path folder;

  /** Executes a batch, and ends the process in the next one. */
  static final class Crashing extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        if (Thread.currentThread().getName().contains("BACKEND-EXEC-02")) {
          Runtime.getRuntime().halt(134); // as a signal does
        }
        BrokenBackendsTest.echo(batch, results);
      });
    }
  }

  /** The process that crashes. */
  static final class Crash {
    private Crash() {}

    public static void main(String[] arguments) {
      Launched.run(Crashing.class);
    }
  }

  @Test
  void theLastLineNamesTheRuleThatRan() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var process =
        new ProcessBuilder(
                java,
                "-Dnereid.tck.log=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Crash.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

    assertThat(process.exitValue()).isEqualTo(134);
    List<String> lines = Files.readAllLines(folder.resolve("tck-rules.log"));
    assertThat(lines.getFirst()).contains(" begin BACKEND-EXEC-01 ");
    assertThat(lines.get(1)).contains(" end BACKEND-EXEC-01 ");
    assertThat(lines.getLast())
        .contains(" begin BACKEND-EXEC-02 ")
        .endsWith("Crashing.answersWithTheTypesAndShapesThatTheModelDeclares");
  }
}
