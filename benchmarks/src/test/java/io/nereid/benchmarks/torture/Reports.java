package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.AttackReport.Resident;
import io.nereid.benchmarks.torture.GoodRequests.Way;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Latencies;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ScrapedMetrics;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/** Reports for tests, each of an attack under which the server held but for what is stated. */
final class Reports {
  static final Resident SAME = new Resident(500, 800, 510, 3);

  private Reports() {}

  static AttackReport of(Resident memory, long leases, long logLines, String end) {
    return of(fake(false), Map.of(), memory, leases, logLines, end);
  }

  /** A report of good requests with one latency each, in milliseconds. */
  static AttackReport of(Attack attack, Map<Way, Latencies> good) {
    return of(attack, good, SAME, 0, 0, "0");
  }

  private static AttackReport of(
      Attack attack,
      Map<Way, Latencies> good,
      Resident memory,
      long leases,
      long logLines,
      String end) {
    var all = new EnumMap<Way, Latencies>(Way.class);
    for (Way way : Way.values()) {
      all.put(way, good.getOrDefault(way, millis(1)));
    }
    return new AttackReport(
        attack,
        AttackOutcome.of("413 after | 65 MB"),
        all,
        memory,
        new ScrapedMetrics(
            """
            nereid_pool_outstanding_leases %d
            nereid_request_memory_bytes %d
            nereid_pool_held_bytes 3145728
            """
                .formatted(leases, leases << 20)),
        logLines,
        end);
  }

  static Latencies millis(long millis) {
    var latencies = new Latencies();
    latencies.succeeded(millis * 1_000_000);
    return latencies;
  }

  static Latencies failed(String reason) {
    var latencies = new Latencies();
    latencies.failed(1_000_000, reason);
    return latencies;
  }

  /** An attack that does nothing, under which the server may grow by 400 MiB. */
  static Attack fake(boolean takesAllRoom) {
    return new Attack(
        "fake",
        "nothing",
        _ -> AttackOutcome.of(""),
        Needs.NOTHING,
        OptionalLong.of(400),
        takesAllRoom,
        false);
  }
}
