package io.nereid.tck.backend;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.execution.BrokenRule;
import io.nereid.tck.model.HungCall;
import io.nereid.tck.model.RuleLog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Logs each rule that begins and ends, and has one defect fail one test: a rule that shows in many
 * tests fails the first, and the others are skipped with a reference to it. After a call that hangs
 * the remaining tests of the class are skipped too; after threads that loads have left, those of
 * leaks, which would go on among thousands of threads.
 */
final class RuleWatch
    implements BeforeEachCallback, AfterEachCallback, TestExecutionExceptionHandler {
  private static final String THREADS_LEFT = "BACKEND-LEAK-01";
  private static final Namespace NAMESPACE = Namespace.create(RuleWatch.class);

  /** What was found for a test class, nested ones included. */
  private static final class Findings {
    /** The test that failed, by the rule that it found broken. */
    final Map<String, String> failed = new ConcurrentHashMap<>();

    /** The first test in which a call hangs. */
    final AtomicReference<@Nullable String> hangs = new AtomicReference<>();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    RuleLog.begin(rules(context), test(context));
    String hangs = findings(context).hangs.get();
    if (hangs != null) {
      throw new TestAbortedException(
          "not verified: a call hangs, see the failure of %s".formatted(hangs));
    }
    String threads = findings(context).failed.get(THREADS_LEFT);
    if (threads != null && rules(context).contains("BACKEND-LEAK-")) {
      throw new TestAbortedException(
          "not verified: threads are left of each load, see the failure of %s".formatted(threads));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    RuleLog.end(rules(context), test(context));
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    if (isOfJUnit4(thrown)) {
      throw new TestAbortedException(thrown.getMessage(), thrown);
    }
    if (hangs(thrown)) {
      findings(context).hangs.compareAndSet(null, test(context));
    }
    if (thrown instanceof BrokenRule broken) {
      String first = findings(context).failed.putIfAbsent(broken.rule(), test(context));
      if (first != null) {
        throw new TestAbortedException(
            "not verified: %s is broken, see the failure of %s".formatted(broken.rule(), first));
      }
    }
    throw named(context, thrown);
  }

  /** A failure with the rules of its test, which a report has not otherwise. */
  private static Throwable named(ExtensionContext context, Throwable thrown) {
    List<String> rules = RuleCatalog.rulesOf(context.getRequiredTestMethod());
    if (rules.isEmpty() || thrown instanceof BrokenRule || thrown instanceof TestAbortedException) {
      return thrown;
    }
    String found =
        thrown instanceof AssertionError && thrown.getMessage() != null
            ? thrown.getMessage().strip()
            : thrown.toString();
    return rules.size() == 1
        ? new BrokenRule(rules.getFirst(), found, thrown)
        : new AssertionError("%s: %s".formatted(String.join(", ", rules), found), thrown);
  }

  /** AssertJ throws this instead of {@link TestAbortedException} where JUnit 4 is present. */
  private static boolean isOfJUnit4(Throwable thrown) {
    return thrown.getClass().getName().equals("org.junit.AssumptionViolatedException");
  }

  private static boolean hangs(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof HungCall
          || List.of(cause.getSuppressed()).stream().anyMatch(HungCall.class::isInstance)) {
        return true;
      }
    }
    return false;
  }

  private static Findings findings(ExtensionContext context) {
    Class<?> outermost = context.getRequiredTestClass();
    while (outermost.isAnnotationPresent(Nested.class)) {
      outermost = outermost.getEnclosingClass();
    }
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(outermost.getName(), _ -> new Findings(), Findings.class);
  }

  private static String rules(ExtensionContext context) {
    List<String> rules = RuleCatalog.rulesOf(context.getRequiredTestMethod());
    return rules.isEmpty() ? "no rule" : String.join(",", rules);
  }

  private static String test(ExtensionContext context) {
    return context.getRequiredTestClass().getName()
        + "."
        + context.getRequiredTestMethod().getName();
  }
}
