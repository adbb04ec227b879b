package io.nereid.engine.scheduling.faults;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.nereid.tck.RuleCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Tests of rules that were run by JUnit inside a test.
 *
 * @param passed the rules of the tests that passed
 */
record RuleRun(List<String> passed, List<Throwable> failures) {
  /** Runs the tests of a rule in a class, or all of its tests if the rule is empty. */
  static RuleRun of(Class<?> tests, String rule) {
    PostDiscoveryFilter filter = test -> FilterResult.includedIf(isOf(rule, test.getSource()));
    var run = new RuleRun(new ArrayList<>(), new ArrayList<>());
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .filters(filter)
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                run.add(test, result);
              }
            });
    return run;
  }

  private static boolean isOf(String rule, Optional<TestSource> source) {
    return rule.isEmpty()
        || source.filter(MethodSource.class::isInstance).isEmpty()
        || rules(source).contains(rule);
  }

  private static List<String> rules(Optional<TestSource> source) {
    return source
        .filter(MethodSource.class::isInstance)
        .map(method -> RuleCatalog.rulesOf(((MethodSource) method).getJavaMethod()))
        .orElse(List.of());
  }

  private void add(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == Status.SUCCESSFUL) {
      passed.addAll(rules(test.getSource()));
    } else {
      result.getThrowable().ifPresent(failures::add);
    }
  }
}
