package io.nereid.benchmarks.load;

import java.util.Locale;

/**
 * What one run of one cell came to. Everything but the errors is of the measured window.
 *
 * @param seconds the window
 * @param cpu used in the window
 * @param rssMebibytes the server's resident memory at the end, and {@code peakMebibytes} since its
 *     start; 0 if unknown
 * @param errors requests without a good answer, warm-up included
 * @param firstError the first one's reason, empty with none
 */
record LoadReport(
    Preset preset,
    ArrivalProcess arrivals,
    double seconds,
    LatencyHistogram latency,
    double answerBytes,
    CpuTimes cpu,
    long rssMebibytes,
    long peakMebibytes,
    long errors,
    String firstError) {
  private static final double MICROS_PER_SECOND = 1e6;

  /** The columns of {@link #row}. */
  static String header() {
    return "%-32s %5s %10s %9s %9s %9s %9s %9s %10s %10s %5s %8s %7s"
        .formatted(
            "cell",
            "n",
            "req/s",
            "p50 us",
            "p90 us",
            "p99 us",
            "p99.9 us",
            "max us",
            "server us",
            "gen us",
            "other",
            "RSS MiB",
            "errors");
  }

  /**
   * One line for people. The CPU columns are microseconds a request, "other" cores used by other
   * processes.
   */
  String row() {
    return String.format(
        Locale.ROOT,
        "%-32s %5d %10.1f %9.1f %9.1f %9.1f %9.1f %9.1f %10.1f %10.1f %5.2f %8d %7d",
        preset.cell(),
        preset.inFlight(),
        latency.count() / seconds,
        latency.percentileMicros(50),
        latency.percentileMicros(90),
        latency.percentileMicros(99),
        latency.percentileMicros(99.9),
        latency.maxMicros(),
        microsPerRequest(cpu.server()),
        microsPerRequest(cpu.generator()),
        cpu.others() / seconds,
        rssMebibytes,
        errors);
  }

  /** One line for machines, under the names that the baseline's own tools use. */
  String json() {
    var offered = arrivals instanceof ArrivalProcess.OpenLoop open ? open.perSecond() : 0;
    return String.format(
        Locale.ROOT,
        "{\"cell\":\"%s\",\"n\":%d,\"offered_rps\":%.1f,\"rps\":%.1f,\"requests\":%d,\"errors\":%d,\"wall_s\":%.3f,"
            + "\"min_us\":%.1f,\"mean_us\":%.1f,\"p50_us\":%.1f,\"p90_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
            + "\"max_us\":%.1f,\"server_cpu_s\":%.2f,\"server_cpu_us_per_req\":%.2f,\"gen_cpu_us_per_req\":%.2f,"
            + "\"response_bytes\":%.1f,\"other_cpu\":%.3f,\"steal\":%.3f,\"rss_mib\":%d,\"hwm_mib\":%d}",
        preset.cell(),
        preset.inFlight(),
        offered,
        latency.count() / seconds,
        latency.count(),
        errors,
        seconds,
        latency.minMicros(),
        latency.meanMicros(),
        latency.percentileMicros(50),
        latency.percentileMicros(90),
        latency.percentileMicros(99),
        latency.percentileMicros(99.9),
        latency.maxMicros(),
        cpu.server(),
        microsPerRequest(cpu.server()),
        microsPerRequest(cpu.generator()),
        answerBytes,
        cpu.others() / seconds,
        cpu.stolen() / seconds,
        rssMebibytes,
        peakMebibytes);
  }

  private double microsPerRequest(double cpuSeconds) {
    return cpuSeconds * MICROS_PER_SECOND / Math.max(1, latency.count());
  }
}
