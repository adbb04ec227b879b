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
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

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
    assertThat(testMethods()).isNotEmpty().noneMatch(test -> RuleCatalog.rulesOf(test).isEmpty());
  }

  @Test
  void rejectsAnUntestedRuleWithoutReasonAndAReasonThatIsNotNeeded() {
    assertThatThrownBy(() -> RuleCatalog.parse("A-1\tUNTESTED\t§1\tIt holds.\t"))
        .hasMessageContaining("A-1");
    assertThatThrownBy(() -> RuleCatalog.parse("A-1\tREQUIRED\t§1\tIt holds.\ttoo hard"))
        .hasMessageContaining("A-1");
  }

  @Test
  void keepsTheOrderOfTheFiles() {
    var parsed =
        RuleCatalog.parse("B-2\tOPTIONAL\tX\tX.\nB-1\tOPTIONAL\tX\tX.\nA-1\tOPTIONAL\tX\tX.");

    assertThat(parsed.entries().keySet()).containsExactly("B-2", "B-1", "A-1");
    assertThat(catalog.entries().keySet()).startsWith("HTTP-STANDARD-01", "HTTP-STANDARD-02");
  }

  @Test
  void namesTheExtensionOfRulesThatAreOfOne() {
    assertThat(RuleCatalog.extensionOf("HTTP-BINARY-03")).contains("binary_tensor_data");
    assertThat(RuleCatalog.extensionOf("REPO-01")).contains("model_repository");
    assertThat(RuleCatalog.extensionOf("HTTP-STANDARD-01")).isEmpty();
    assertThat(
            catalog.entries().keySet().stream()
                .flatMap(id -> RuleCatalog.extensionOf(id).stream())
                .distinct())
        .hasSize(9);
  }

  /** Others may not be able to do what only Triton does. */
  @Test
  void onlyTheStandardIsRequiredOfServers() {
    assertThat(catalog.entries().values())
        .filteredOn(rule -> rule.id().matches("(HTTP|GRPC|REPO|STAT|METRIC|SHM)-.*"))
        .filteredOn(rule -> rule.level() == RuleCatalog.Level.REQUIRED)
        .allMatch(rule -> rule.id().contains("-STANDARD-"))
        .allMatch(rule ->
            rule.source().startsWith("Open Inference Protocol, ")
                || rule.source().startsWith("RFC 8259"));
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
    return testMethods().stream()
        .flatMap(method -> RuleCatalog.rulesOf(method).stream())
        .collect(Collectors.toCollection(TreeSet::new));
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
    return AnnotationSupport.isAnnotated(method, Testable.class);
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
