package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.CsvSource;

class RuleCatalogTest {
  private final RuleCatalog catalog = RuleCatalog.load();

  @Test
  void everyRuleHasATestOrAReason() throws Exception {
    assertThat(rulesInTests()).containsAll(idsOf(false));
  }

  @Test
  void everyRuleOfATestIsInTheCatalogAndNotUntested() throws Exception {
    assertThat(idsOf(false)).containsAll(rulesInTests());
  }

  @Test
  void everyTestMethodNamesItsRule() throws Exception {
    assertThat(testMethods()).isNotEmpty().allMatch(test -> test.isAnnotationPresent(Rule.class));
  }

  @Test
  void rejectsAnUntestedRuleWithoutReasonAndAReasonThatIsNotNeeded() {
    assertThatThrownBy(() -> RuleCatalog.parse("A-1\tUNTESTED\t§1\tIt holds.\t"))
        .hasMessageContaining("A-1");
    assertThatThrownBy(() -> RuleCatalog.parse("A-1\tREQUIRED\t§1\tIt holds.\ttoo hard"))
        .hasMessageContaining("A-1");
  }

  @Test
  void rejectsARuleThatIsListedTwice() {
    assertThatThrownBy(() -> RuleCatalog.parse("A-1\tREQUIRED\t§1\tX.\nA-1\tOPTIONAL\t§1\tY."))
        .hasMessageContaining("twice");
  }

  /** Sections, functions and the like may follow a document's name. */
  private static final Pattern PUBLIC_SOURCE =
      Pattern.compile(
          "(Open Inference Protocol|gRPC Health Checking Protocol|RFC \\d+"
              + "|(server|core|common|kserve) [\\w/]+\\.(md|cc|h|proto|py)|docs/protocol\\.md"
              + "|io\\.nereid(\\.\\w+)+\\.[A-Z]\\w+)\\b.*");

  @Test
  void everySourceIsAPublicDocumentOrOneOfThisRepository() {
    assertThat(catalog.entries().values())
        .allSatisfy(rule ->
            assertThat(sources(rule)).allMatch(PUBLIC_SOURCE.asMatchPredicate(), rule.id()));
  }

  /** Commas separate sources, unless they separate the parts of one. */
  private static List<String> sources(RuleCatalog.Entry rule) {
    return List.of(rule.source().split(", (?=server |core |common |docs/|io\\.nereid|RFC )"));
  }

  private Set<String> idsOf(boolean untested) {
    return catalog.entries().values().stream()
        .filter(entry -> (entry.level() == RuleCatalog.Level.UNTESTED) == untested)
        .map(RuleCatalog.Entry::id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> rulesInTests() throws Exception {
    Set<String> ids = new TreeSet<>();
    for (Method method : testMethods()) {
      Rule rule = method.getAnnotation(Rule.class);
      if (rule != null) {
        ids.addAll(rule.value().length == 0 ? rulesOfTheTable(method) : List.of(rule.value()));
      }
    }
    return ids;
  }

  /** What the lines of a test's table begin with. */
  private static List<String> rulesOfTheTable(Method method) {
    CsvSource table = method.getAnnotation(CsvSource.class);
    return Stream.concat(Stream.of(table.value()), table.textBlock().lines())
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("[^A-Z0-9-]", 2)[0])
        .toList();
  }

  /** The test methods of all verification classes that the TCK ships. */
  private static Set<Method> testMethods() throws IOException, URISyntaxException {
    var classes = Path.of(Rule.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (var files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(file -> file.endsWith("Verification.class"))
          .flatMap(file -> Arrays.stream(load(file).getDeclaredMethods()))
          .filter(RuleCatalogTest::isTest)
          .collect(Collectors.toSet());
    }
  }

  private static boolean isTest(Method method) {
    return Arrays.stream(method.getAnnotations())
        .map(annotation -> annotation.annotationType().getSimpleName())
        .anyMatch(Set.of("Test", "ParameterizedTest", "TestFactory", "RepeatedTest")::contains);
  }

  private static Class<?> load(String file) {
    String name = file.replace('/', '.').replace('\\', '.').replaceAll("\\.class$", "");
    try {
      return Class.forName(name, false, Rule.class.getClassLoader());
    } catch (ClassNotFoundException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
