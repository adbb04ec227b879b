package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.AttackReport.Resident;
import io.nereid.benchmarks.torture.GoodRequests.Way;
import io.nereid.benchmarks.torture.attack.Latencies;
import java.util.Locale;
import java.util.OptionalLong;

/** The rows of a campaign's table, in Markdown. */
final class ResultTable {
  private ResultTable() {}

  static String header() {
    return """
    | attack | answer | HTTP, new: p99, max ms | kept | gRPC | machine | failed | RSS MiB before, peak, after | after s | leases | budgets KiB | pool MiB | log lines | exit |
    | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\
    """;
  }

  static String row(AttackReport report) {
    Resident memory = report.memory();
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s | %s | %d | %d, %d, %d | %.0f | %s | %d | %s | %d | %s |",
        report.attack().name(),
        cell(report.outcome().answer()),
        millis(report, Way.HTTP_NEW),
        millis(report, Way.HTTP_KEPT),
        millis(report, Way.GRPC),
        millis(report, Way.MACHINE),
        report.failures(),
        memory.before(),
        memory.peak(),
        memory.after(),
        memory.settleSeconds(),
        number(report.metrics().leases(), 0),
        report.budgetBytes() >> 10,
        number(report.metrics().poolBytes(), 20),
        report.logLines(),
        report.end().isEmpty() ? "–" : report.end());
  }

  private static String millis(AttackReport report, Way way) {
    Latencies good = report.good(way);
    return String.format(Locale.ROOT, "%.0f, %.0f", good.percentileMillis(99), good.maxMillis());
  }

  private static String number(OptionalLong value, int shift) {
    return value.isPresent() ? Long.toString(value.getAsLong() >> shift) : "–";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replaceAll("\\s+", " ");
  }
}
