package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.GoodRequests.Way;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Latencies;
import io.nereid.benchmarks.torture.server.ScrapedMetrics;
import java.util.EnumMap;
import java.util.Map;

/**
 * What was seen during one attack and after it.
 *
 * @param good latencies of the good requests beside it
 * @param memory resident memory of the server
 * @param metrics of the server after the attack; those that it does not report are left out
 * @param logLines lines that the server has logged during the attack and after it
 * @param end how the server ended after SIGTERM, such as "0"; empty if it was not stopped
 */
record AttackReport(
    Attack attack,
    AttackOutcome outcome,
    Map<Way, Latencies> good,
    Resident memory,
    ScrapedMetrics metrics,
    long logLines,
    String end) {
  AttackReport {
    good = new EnumMap<>(good);
  }

  /**
   * Resident memory in MiB.
   *
   * @param settleSeconds when {@code after} was read, in seconds after the attack
   */
  record Resident(long before, long peak, long after, double settleSeconds) {}

  /** The same of a server that was started for the attack. */
  AttackReport with(long logLines, String end) {
    return new AttackReport(attack, outcome, good, memory, metrics, logLines, end);
  }

  Latencies good(Way way) {
    return good.getOrDefault(way, new Latencies());
  }

  long budgetBytes() {
    return metrics.budgets().values().stream().mapToLong(Long::longValue).sum();
  }

  /** The good requests that failed. */
  long failures() {
    return good.values().stream().mapToLong(Latencies::failures).sum();
  }
}
