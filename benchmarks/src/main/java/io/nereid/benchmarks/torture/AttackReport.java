package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.GoodRequests.Way;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What was seen during one attack and after it.
 *
 * @param seconds how long the attack took
 * @param good latencies of the good requests beside it
 * @param memory resident memory of the server
 * @param leases outstanding leases after the attack; empty if the server does not report them
 * @param budgets bytes of the server's memory that requests have after the attack, by the metric
 * @param poolBytes memory of the pool after the attack; empty if the server does not report it
 * @param logLines lines that the server has logged during the attack and after it
 * @param end how the server ended after SIGTERM, such as "0"; empty if it was not stopped
 */
record AttackReport(
    Attack attack,
    Outcome outcome,
    double seconds,
    Map<Way, Latencies> good,
    Resident memory,
    OptionalLong leases,
    Map<String, Long> budgets,
    OptionalLong poolBytes,
    long logLines,
    String end) {
  AttackReport {
    good = new EnumMap<>(good);
    budgets = Map.copyOf(budgets);
  }

  /**
   * Resident memory in MiB.
   *
   * @param settleSeconds when {@code after} was read, in seconds after the attack
   */
  record Resident(long before, long peak, long after, double settleSeconds) {}

  Latencies good(Way way) {
    return good.getOrDefault(way, new Latencies());
  }

  /** The bytes of all budgets. */
  long budgetBytes() {
    return budgets.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The good requests that failed. */
  long failures() {
    return good.values().stream().mapToLong(Latencies::failures).sum();
  }
}
