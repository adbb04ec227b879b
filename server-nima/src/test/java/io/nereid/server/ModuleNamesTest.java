package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The names of our jars on a module path: of a descriptor, or of the manifest; without either, the
 * name would be that of a file. {@code make release} looks at the jars themselves.
 */
class ModuleNamesTest {
  private static final Path ROOT = Path.of("..");
  private static final Set<String> WITHOUT_PUBLISHED_JAR = Set.of("bom", "benchmarks");
  private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
  private static final Pattern DESCRIPTOR =
      Pattern.compile("^module (\\S+) \\{", Pattern.MULTILINE);
  private static final Pattern MANIFEST =
      Pattern.compile("<Automatic-Module-Name>(.*)</Automatic-Module-Name>");

  static Set<String> folders() throws IOException {
    Set<String> folders = new TreeSet<>();
    MODULE
        .matcher(Files.readString(ROOT.resolve("pom.xml")))
        .results()
        .forEach(match -> folders.add(match.group(1)));
    folders.removeAll(WITHOUT_PUBLISHED_JAR);
    return folders;
  }

  private static String name(String folder) throws IOException {
    Path descriptor = ROOT.resolve(folder).resolve("src/main/java/module-info.java");
    boolean isDescribed = Files.exists(descriptor);
    Path file = isDescribed ? descriptor : ROOT.resolve(folder).resolve("pom.xml");
    Matcher name = (isDescribed ? DESCRIPTOR : MANIFEST).matcher(Files.readString(file));
    assertThat(name.find()).as("a name of a module in %s", file).isTrue();
    return name.group(1);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void eachJarHasOneOfOurs(String folder) throws IOException {
    assertThat(name(folder)).startsWith("io.nereid.");
  }

  @Test
  void noTwoJarsHaveTheSame() throws IOException {
    Map<String, String> places = new HashMap<>();
    for (String folder : folders()) {
      assertThat(places.put(name(folder), folder)).as(folder).isNull();
    }
    assertThat(places).hasSizeGreaterThan(10);
  }
}
