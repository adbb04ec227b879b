package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.AttackReport.Resident;
import io.nereid.benchmarks.torture.GoodRequests.Way;
import io.nereid.benchmarks.torture.attack.Latencies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a server must hold under attack.
 *
 * @param latencyMillis the highest latency of a good request, to which the highest delay of the
 *     machine in the same time is added
 * @param growth how much more memory may be resident afterwards, such as 0.1
 * @param heapMebibytes by how much the heap may grow
 * @param logLines how many lines may be logged
 */
record Bounds(double latencyMillis, double growth, long heapMebibytes, long logLines) {
  /** Whether memory is back where it was. */
  boolean isBack(long before, long now) {
    return now <= before * (1 + growth);
  }

  /** The violations of a report, the attack's own first. */
  List<String> violations(AttackReport report) {
    var violations = new ArrayList<>(report.outcome().violations());
    double machine = report.good(Way.MACHINE).maxMillis();
    for (Way way : Way.values()) {
      Latencies good = report.good(way);
      if (way == Way.MACHINE) {
        continue;
      }
      boolean refused = report.attack().takesAllRoom() && way == Way.HTTP_NEW;
      if (good.failures() > 0 && !refused) {
        violations.add(
            "%s: %d of %d good requests failed, the first: %s"
                .formatted(way.text(), good.failures(), good.count(), good.firstFailure()));
      }
      if (good.maxMillis() > latencyMillis + machine) {
        violations.add(
            String.format(
                Locale.ROOT,
                "%s: a good request took %.0f ms, allowed are %.0f and the machine's %.0f",
                way.text(),
                good.maxMillis(),
                latencyMillis,
                machine));
      }
    }
    Resident memory = report.memory();
    if (!isBack(memory.before(), memory.after())) {
      violations.add(
          "%d MiB are resident afterwards, before it were %d"
              .formatted(memory.after(), memory.before()));
    }
    long most = report.attack().growthMebibytes().orElse(Long.MAX_VALUE / 2) + heapMebibytes;
    if (memory.peak() - memory.before() > most) {
      violations.add(
          "%d MiB were resident, before it were %d, and %d more are allowed"
              .formatted(memory.peak(), memory.before(), most));
    }
    report
        .metrics()
        .budgets()
        .forEach((budget, bytes) -> {
          if (bytes != 0) {
            violations.add("%s is %d".formatted(budget, bytes));
          }
        });
    long leases = report.metrics().leases().orElse(0);
    if (leases != 0) {
      violations.add("%d leases are outstanding".formatted(leases));
    }
    if (report.logLines() > logLines) {
      violations.add("%d lines were logged".formatted(report.logLines()));
    }
    if (!report.end().isEmpty() && !report.end().equals("0")) {
      violations.add("SIGTERM: " + report.end());
    }
    return List.copyOf(violations);
  }
}
