package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Repeats the TCK's rules for schedulers in one JVM, to find tests that depend on timing. Prints
 * the duration of the longest round. {@code -Dnereid.rounds=100} sets the number of rounds.
 */
class SchedulerRoundsTest {
  private static final int ROUNDS = Integer.getInteger("nereid.rounds", 1);

  @Test
  void everyRoundPasses() {
    LauncherDiscoveryRequest rules =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(SchedulerTckTest.class), selectClass(RateLimiterTckTest.class))
            .build();
    long passed = 0;
    long longestNanos = 0;
    for (int i = 0; i < ROUNDS; i++) {
      var listener = new SummaryGeneratingListener();
      long start = System.nanoTime();
      LauncherFactory.create().execute(rules, listener);
      longestNanos = Math.max(longestNanos, System.nanoTime() - start);
      TestExecutionSummary summary = listener.getSummary();
      List<TestExecutionSummary.Failure> failures = summary.getFailures();
      assertThat(failures.stream().map(TestExecutionSummary.Failure::getException)).isEmpty();
      assertThat(summary.getTestsSucceededCount()).isPositive();
      passed += summary.getTestsSucceededCount();
    }
    System.out.printf(
        "%d rounds, %d tests passed, the longest round took %d ms%n",
        ROUNDS, passed, TimeUnit.NANOSECONDS.toMillis(longestNanos));
  }
}
