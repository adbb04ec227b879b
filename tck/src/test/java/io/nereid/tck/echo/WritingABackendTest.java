package io.nereid.tck.echo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Compares {@code docs/writing-a-backend.md} with the code that it shows; runs in the module's
 * folder.
 */
class WritingABackendTest {
  private static final Path DOCUMENT = Path.of("../docs/writing-a-backend.md");
  private static final Path SOURCE = Path.of("src/main/java/io/nereid/tck/echo/EchoBackend.java");
  private static final Path TEST = Path.of("src/test/java/io/nereid/tck/echo/EchoKitTest.java");
  private static final Path CONFIGURATION =
      Path.of("src/main/resources/io/nereid/tck/models/identity_fp32/config.pbtxt");

  @Test
  void theDocumentShowsTheBackendAsItIs() throws IOException {
    assertThat(Files.readString(DOCUMENT))
        .contains("```java\n" + Files.readString(SOURCE) + "```\n");
  }

  @Test
  void theDocumentShowsATestThatIsRun() throws IOException {
    assertThat(Files.readString(DOCUMENT)).contains("```java\n" + Files.readString(TEST) + "```\n");
  }

  @Test
  void theRulesLieWhereTheDocumentSays() throws IOException {
    assertThat(Files.readString(DOCUMENT))
        .contains("`io/nereid/tck/rules/backend.tsv` of the `nereid-tck` jar");
    assertThat(getClass().getResource("/io/nereid/tck/rules/backend.tsv")).isNotNull();
  }

  @Test
  void theDocumentShowsAModelThatAsksForTheBackend() throws IOException {
    assertThat(Files.readString(DOCUMENT)).contains(Files.readString(CONFIGURATION));
  }
}
