package io.nereid.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs of {@code examples/embedded} and {@code docs/embedding.md}, as readers run them. */
class EmbeddedExampleTest {
  private static final Path PROGRAM = Path.of("../examples/embedded/Embedded.java");

  private static List<String> run(Path program, String... arguments)
      throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            program.toString());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  @Test
  @Timeout(180)
  void servesAModelInItsProcess() throws IOException, InterruptedException {
    assertThat(run(PROGRAM, "../examples/models"))
        .containsSubsequence(
            "sums: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]", "ready: true");
  }

  /** The program of the page, on any free ports. */
  @Test
  @Timeout(180)
  void thePageMakesAServer(@TempDir Path folder) throws IOException, InterruptedException {
    List<String> blocks =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../docs/embedding.md")))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(1);
    String source =
        """
        import io.nereid.server.NereidServer;
        import java.io.IOException;
        import java.nio.file.Path;

        class Page {
          public static void main(String[] args) throws IOException {
            %s
          }
        }
        """
            .formatted(blocks.getFirst());
    Path page = folder.resolve("Page.java");
    Files.writeString(
        page,
        source
            .replace("\"models\"", "\"../examples/models\"")
            .replace("http(8000)", "http(0)")
            .replace("grpc(8001)", "grpc(0)"));

    assertThat(run(page)).anyMatch(line -> line.matches("HTTP at \\d+, ready: true"));
  }

  @Test
  void isShort() throws IOException {
    List<String> lines = Files.readAllLines(PROGRAM);
    assertThat(lines).hasSizeLessThanOrEqualTo(40);
  }
}
