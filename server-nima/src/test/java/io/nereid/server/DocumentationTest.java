package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The links of the documentation; runs in the module's folder. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern INLINE = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern DEFINITION =
      Pattern.compile("^\\[([^\\]]+)\\]: (\\S+)$", Pattern.MULTILINE);
  private static final Pattern REFERENCE = Pattern.compile("\\[([^\\]]+)\\]\\[\\]");

  static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linksLeadToFilesThatExist(Path page) throws IOException {
    String text = Files.readString(page);

    assertThat(
            Stream.concat(matches(INLINE, 1, text), matches(DEFINITION, 2, text))
                .filter(link -> !link.startsWith("http") && !link.startsWith("#"))
                .map(link -> page.resolveSibling(link.replaceFirst("#.*", ""))))
        .allSatisfy(target -> assertThat(target).exists());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void referencesHaveDefinitionsAndTheReverse(Path page) throws IOException {
    String text = Files.readString(page);
    Set<String> used = matches(REFERENCE, 1, text).collect(Collectors.toSet());
    Set<String> defined = matches(DEFINITION, 1, text).collect(Collectors.toSet());

    assertThat(defined).isEqualTo(used);
  }

  private static Stream<String> matches(Pattern pattern, int group, String text) {
    return pattern.matcher(text).results().map(match -> match.group(group));
  }
}
