package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.server.options.ParsedOptions;
import io.nereid.server.options.ServerOptions;
import io.nereid.server.security.ApiCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links of the documentation, and what it says of tests; runs in the module's folder. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern INLINE = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern DEFINITION =
      Pattern.compile("^\\[([^\\]]+)\\]: (\\S+)$", Pattern.MULTILINE);
  private static final Pattern REFERENCE = Pattern.compile("\\[([^\\]]+)\\]\\[\\]");

  /** A dependency on a library of ours: its name, and its version if the dependency has one. */
  private static final Pattern OWN_LIBRARY =
      Pattern.compile(
          "<groupId>io\\.nereid</groupId>\\s+<artifactId>([^<]+)</artifactId>"
              + "(?:\\s+<version>([^<]+)</version>)?");

  private static final Pattern OF_GRADLE = Pattern.compile("'io\\.nereid:([^:']+):([^:']+)'");

  private static final Pattern COORDINATES =
      Pattern.compile("io\\.nereid:nereid-|<groupId>io\\.nereid|nereid install|nereid-api-spi-");

  private static final Pattern TEST =
      Pattern.compile("(?:`|-Dtest=)(\\w+(?:Test|Verification))(?:#(\\w+))?\\b");

  static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
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

  /** Inside a paragraph they would be text (CommonMark, section Link reference definitions). */
  @ParameterizedTest
  @MethodSource("pages")
  void definitionsFollowAnEmptyLine(Path page) throws IOException {
    List<String> lines = Files.readAllLines(page);

    for (int i = 1; i < lines.size(); i++) {
      if (DEFINITION.matcher(lines.get(i)).matches()) {
        assertThat(lines.get(i - 1))
            .matches(before -> before.isBlank() || DEFINITION.matcher(before).matches());
      }
    }
  }

  /** So that a reader's Maven finds them: what has no version there has it of the BOM. */
  @ParameterizedTest
  @MethodSource("pages")
  void projectsNameTheBomOfThisVersionAndLibrariesThatItHas(Path page) throws IOException {
    String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
    String version =
        matches(Pattern.compile("<version>([^<]+)</version>"), 1, bom).findFirst().orElseThrow();
    for (MatchResult named : OWN_LIBRARY.matcher(Files.readString(page)).results().toList()) {
      assertThat(bom).contains("<artifactId>" + named.group(1) + "</artifactId>");
      boolean isBom = named.group(1).equals("nereid-bom");
      assertThat(named.group(2)).as(named.group(1)).isEqualTo(isBom ? version : null);
    }
    for (MatchResult named : OF_GRADLE.matcher(Files.readString(page)).results().toList()) {
      assertThat(bom).contains("<artifactId>" + named.group(1) + "</artifactId>");
      assertThat(named.group(2)).as(named.group(1)).isEqualTo(version);
    }
  }

  /** Until they are on Maven Central, which their coordinates do not tell. */
  @ParameterizedTest
  @MethodSource("pages")
  void pagesWithCoordinatesSayWhereTheLibrariesAre(Path page) throws IOException {
    String text = Files.readString(page);
    if (COORDINATES.matcher(text).find() && !page.endsWith("CHANGELOG.md")) {
      assertThat(text)
          .containsPattern("not on Maven Central yet: \\[[^]]+\\]\\([a-z/.]*#the-libraries\\)");
    }
  }

  @Test
  void eachSentenceOnSecurityHasATest() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/security.md"));
    String heading = "| sentence | test |\n| --- | --- |\n";
    int sentences = 0;
    for (int at = page.indexOf(heading); at >= 0; at = page.indexOf(heading, at + 1)) {
      String table = page.substring(at + heading.length());
      for (String row : table.lines().takeWhile(line -> line.startsWith("|")).toList()) {
        assertThat(TEST.matcher(row).results()).as(row).isNotEmpty();
        sentences++;
      }
    }
    assertThat(sentences).isGreaterThan(20);
  }

  /** But for measurements, which have their day. */
  @Test
  void eachTestThatAPageNamesExists() throws IOException {
    Map<String, String> sources = testSources();
    for (Path page : pages()) {
      if (page.startsWith(ROOT.resolve("docs/measurements"))) {
        continue;
      }
      String text = Files.readString(page);
      for (MatchResult test : TEST.matcher(text).results().toList()) {
        String source = sources.getOrDefault(test.group(1), text); // one that the page has
        assertThat(source)
            .as("%s: %s", page, test.group())
            .containsPattern("(class|record|interface) " + test.group(1));
        if (test.group(2) != null) {
          assertThat(source)
              .as("%s: %s", page, test.group())
              .contains("void " + test.group(2) + "(");
        }
      }
    }
  }

  /** The tests of all modules, and those of the TCK, by the name of their class. */
  private static Map<String, String> testSources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> modules = Files.walk(ROOT, 2)) {
      for (Path module : modules.filter(each -> Files.exists(each.resolve("pom.xml"))).toList()) {
        for (String folder : List.of("src/test/java", "src/main/java/io/nereid/tck")) {
          if (Files.exists(module.resolve(folder))) {
            try (Stream<Path> files = Files.walk(module.resolve(folder))) {
              for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
              }
            }
          }
        }
      }
    }
    return sources;
  }

  @Test
  void theServerAcceptsTheCommandLineForAPublicService() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/security.md"));
    String command = page.substring(page.indexOf("bin/nereid serve "), page.indexOf("\n```\n"));
    String[] arguments =
        command.substring("bin/nereid serve ".length()).replace("\\\n", "").split("\\s+");

    ServerOptions options = ParsedOptions.of(arguments);

    assertThat(options.clientSettings()).isEqualTo(ClientSettings.NONE);
    assertThat(options.metricsListener().address()).isEqualTo("127.0.0.1");
    assertThat(options.restrictions().grpc().covers(ApiCategory.LOGGING)).isTrue();
    assertThat(options.tls().http()).isPresent();
  }

  private static Stream<String> matches(Pattern pattern, int group, String text) {
    return pattern.matcher(text).results().map(match -> match.group(group));
  }
}
