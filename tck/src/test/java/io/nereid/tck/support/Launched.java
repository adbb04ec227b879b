package io.nereid.tck.support;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.execution.BrokenRule;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A verification class run by JUnit inside a test: which of its tests passed and which failed, and
 * the rules that are broken.
 */
public record Launched(
    List<String> passed, List<String> failed, List<Throwable> failures, List<String> rules) {
  /** Runs all tests of a class, with one entry per test or repetition. */
  public static Launched run(Class<?> verification) {
    var launched =
        new Launched(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    var request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(verification)).build();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                launched.add(test, result);
              }
            });
    return launched;
  }

  private void add(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == Status.FAILED) {
      failed.add(name(test));
      result.getThrowable().ifPresent(failures::add);
      rules.addAll(rules(test, result));
    } else if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) {
      passed.add(name(test));
    }
  }

  /** The rule that a failure names, or else those of the test. */
  private static List<String> rules(TestIdentifier test, TestExecutionResult result) {
    if (result.getThrowable().orElse(null) instanceof BrokenRule broken) {
      return List.of(broken.rule());
    }
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(source -> RuleCatalog.rulesOf(((MethodSource) source).getJavaMethod()))
        .orElse(List.of());
  }

  private static String name(TestIdentifier test) {
    return test.getSource()
        .filter(MethodSource.class::isInstance)
        .map(source -> ((MethodSource) source).getMethodName())
        .orElseGet(test::getDisplayName);
  }
}
