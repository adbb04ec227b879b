package io.nereid.tck.command;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.Failure;
import io.nereid.tck.command.report.Verdict;
import io.nereid.tck.command.tested.Tested;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.support.WireMessage;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.ValueWrapper;

/**
 * Makes results of rules of JUnit's tests, and passes each on as soon as it is known. What a class
 * cannot begin, since its server does not start, is a result of each of its tests.
 */
final class RuleListener implements TestExecutionListener {
  private static final String ASSUMPTION =
      "(?s)^(assumption was not met due to|Assumption failed): ";

  /** Takes each result with the rules that it is of. */
  interface Results {
    void add(List<String> rules, CaseResult result);
  }

  private final Tested tested;
  private final Set<String> chosen;
  private final Results results;
  private final Set<String> finished = new HashSet<>();
  private @Nullable TestPlan plan;
  private long startNanos;

  RuleListener(Tested tested, Set<String> chosen, Results results) {
    this.tested = tested;
    this.chosen = chosen;
    this.results = results;
  }

  @Override
  public void testPlanExecutionStarted(TestPlan testPlan) {
    plan = testPlan;
    finished.clear(); // the same tests may be run again, on another model
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      var _ = tested.takeMessages();
      startNanos = System.nanoTime();
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    addAll(test, name -> CaseResult.skipped(name, reason));
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Throwable thrown = result.getThrowable().orElse(null);
    if (test.isTest()) {
      long millis = NANOSECONDS.toMillis(System.nanoTime() - startNanos);
      List<WireMessage> messages = tested.takeMessages();
      add(test, result(nameOf(test), result.getStatus(), thrown, millis, messages), thrown);
    } else if (result.getStatus() != Status.SUCCESSFUL) {
      addAll(test, name -> result(name, result.getStatus(), thrown, 0, List.of()));
    }
  }

  /** The result of a test, or of a class or table that it is in. */
  private CaseResult result(
      String name,
      Status status,
      @Nullable Throwable thrown,
      long millis,
      List<WireMessage> messages) {
    Optional<String> missing = tested.missingModel(messages);
    if (missing.isPresent()) {
      return CaseResult.skipped(name, missing.get());
    }
    return switch (status) {
      case SUCCESSFUL ->
          new CaseResult(name, Verdict.PASSED, millis, "", Optional.empty(), messages);
      case ABORTED -> CaseResult.skipped(name, reasonOf(thrown));
      case FAILED ->
          new CaseResult(
              name, Verdict.FAILED, millis, "", Optional.of(failureOf(thrown)), messages);
    };
  }

  private static String reasonOf(@Nullable Throwable assumption) {
    String message = assumption == null ? "" : Objects.toString(assumption.getMessage(), "");
    String text = message.replaceFirst(ASSUMPTION, "").strip();
    return text.matches("(?s)\\[[^\\n]+\\].*")
        ? text.replaceFirst("(?s)^\\[([^\\n]+)\\].*", "not so: $1")
        : text;
  }

  private static Failure failureOf(@Nullable Throwable thrown) {
    if (thrown == null) {
      return new Failure("the test failed without a reason", "", "", "");
    }
    String message = thrown instanceof AssertionError ? thrown.getMessage() : thrown.toString();
    var compared = thrown instanceof AssertionFailedError comparison ? comparison : null;
    return new Failure(
        Objects.toString(message, thrown.getClass().getName()).strip(),
        compared == null ? "" : text(compared.getExpected()),
        compared == null ? "" : text(compared.getActual()),
        placeOf(thrown));
  }

  private static String text(@Nullable ValueWrapper value) {
    return value == null ? "" : value.getStringRepresentation();
  }

  /** Where the test is, by what was thrown or else its cause. */
  private static String placeOf(Throwable thrown) {
    String place = "";
    for (Throwable each = thrown; each != null && place.isEmpty(); each = each.getCause()) {
      place = outermost(each.getStackTrace());
    }
    return place;
  }

  /** The outermost line of the kit's verifications. */
  private static String outermost(StackTraceElement[] trace) {
    return Arrays.stream(trace)
        .filter(frame -> frame.getClassName().endsWith("Verification"))
        .reduce((_, outer) -> outer)
        .map(frame ->
            "%s.%s:%d"
                .formatted(
                    frame.getClassName().replaceFirst(".*\\.", ""),
                    frame.getMethodName().replaceFirst("^lambda\\$(\\w+)\\$\\d+$", "$1"),
                    frame.getLineNumber()))
        .orElse("");
  }

  private void addAll(TestIdentifier container, Function<String, CaseResult> result) {
    if (!rulesOf(container).isEmpty()) {
      add(container, result.apply(nameOf(container)), null);
      return;
    }
    for (TestIdentifier child : Objects.requireNonNull(plan).getChildren(container)) {
      addAll(child, result);
    }
  }

  /**
   * Adds the result of a test, or of a table that has none; once for each. What was found against
   * another rule is that rule's, if it was chosen.
   */
  private void add(TestIdentifier test, CaseResult result, @Nullable Throwable thrown) {
    List<String> rules = rulesOf(test);
    if (rules.isEmpty() || !finished.add(test.getUniqueId())) {
      return;
    }
    if (thrown instanceof BrokenRule broken
        && (rules.contains(broken.rule()) || chosen.contains(broken.rule()))) {
      results.add(List.of(broken.rule()), result);
      String reason = "not verified: " + broken.getMessage();
      results.add(
          rules.stream().filter(rule -> !rule.equals(broken.rule())).toList(),
          CaseResult.skipped(result.name(), reason));
    } else {
      results.add(rules, result);
    }
  }

  /** The rules of a test; of a line of a table, the one that it begins with. */
  private static List<String> rulesOf(TestIdentifier test) {
    List<String> rules =
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .map(source -> RuleCatalog.rulesOf(((MethodSource) source).getJavaMethod()))
            .orElse(List.of());
    String line = nameOf(test);
    return rules.stream()
        .filter(rule -> line.startsWith(rule + " "))
        .findFirst()
        .map(List::of)
        .orElse(rules);
  }

  /** A case without its number, or the name of a test's method. */
  private static String nameOf(TestIdentifier test) {
    return test.getDisplayName()
        .replaceFirst("^\\[\\d+\\] ", "")
        .replaceFirst("\\(.*\\)$", "")
        .strip();
  }
}
