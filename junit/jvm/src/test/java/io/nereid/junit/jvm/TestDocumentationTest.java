package io.nereid.junit.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The test of {@code docs/java.md}, compiled and run. */
@Timeout(120)
class TestDocumentationTest {
  private static final Pattern TEST =
      Pattern.compile("```java\n(@NereidTest.*?)```", Pattern.DOTALL);

  private static final String HEAD =
      """
      import static org.junit.jupiter.api.Assertions.assertEquals;
      import io.nereid.client.*;
      import io.nereid.junit.NereidTest;
      import org.junit.jupiter.api.Test;

      """;

  @Test
  void theTestOfThePageHasTenLinesAndSucceeds(@TempDir Path folder) throws Exception {
    String test =
        TEST.matcher(Files.readString(Path.of("../../docs/java.md")))
            .results()
            .map(match -> match.group(1))
            .findFirst()
            .orElseThrow();
    assertThat(test.lines().count()).isLessThanOrEqualTo(10);
    Path source = folder.resolve("SimpleTest.java");
    Files.writeString(source, HEAD + test.replace("\"models\"", "\"../../examples/models\""));
    var errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-d",
                folder.toString(),
                "-cp",
                TestDistribution.CLASS_PATH,
                source.toString());
    assertThat(status).as(errors.toString(StandardCharsets.UTF_8)).isZero();

    try (var loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      TestRun.of(loader.loadClass("SimpleTest")).succeeds(1);
    }
  }
}
