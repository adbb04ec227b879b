package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The program of {@code examples/embedded}, as a reader runs it. */
class EmbeddedExampleTest {
  private static final Path PROGRAM = Path.of("../examples/embedded/Embedded.java");

  @Test
  @Timeout(60)
  void servesAModelInItsProcess() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                PROGRAM.toString(),
                "../examples/models")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();

    assertThat(output.lines())
        .containsSubsequence(
            "sums: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]", "ready: true");
    assertThat(status).as(output).isZero();
  }

  @Test
  void isShort() throws IOException {
    List<String> lines = Files.readAllLines(PROGRAM);
    assertThat(lines).hasSizeLessThanOrEqualTo(40);
  }
}
