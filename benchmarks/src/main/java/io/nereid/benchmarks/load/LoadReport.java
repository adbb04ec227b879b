package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.arrival.ArrivalProcess;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.benchmarks.load.stall.Stall;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The results of one run of one cell. Everything except the errors refers to the measured window.
 *
 * @param seconds length of the window
 * @param latencyNanos latencies of the requests in the window
 * @param responseBytes mean size of a response
 * @param cpu CPU times in the window
 * @param rssMebibytes resident memory of the server at the end of the run; 0 if unknown
 * @param peakMebibytes maximum resident memory of the server since its start; 0 if unknown
 * @param errors number of failed requests, including the warm-up
 * @param firstError reason of the first error; empty if there is none
 * @param windowStartNanos beginning of the window
 * @param stalls of the window, if the run has looked for them
 */
record LoadReport(
    Preset preset,
    ArrivalProcess arrivals,
    double seconds,
    Histogram latencyNanos,
    double responseBytes,
    CpuTimes cpu,
    long rssMebibytes,
    long peakMebibytes,
    long errors,
    String firstError,
    long windowStartNanos,
    List<Stall> stalls) {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;

  /** The number of successful requests in the window. */
  long count() {
    return latencyNanos.getTotalCount();
  }

  double minMicros() {
    return latencyNanos.getMinValue() / NANOS_PER_MICRO;
  }

  double meanMicros() {
    return latencyNanos.getMean() / NANOS_PER_MICRO;
  }

  double maxMicros() {
    return latencyNanos.getMaxValue() / NANOS_PER_MICRO;
  }

  /** The latency that {@code percent} of the requests did not exceed; 0 if there are none. */
  double percentileMicros(double percent) {
    return latencyNanos.getValueAtPercentile(percent) / NANOS_PER_MICRO;
  }

  /** The headings of the columns of {@link #row}. */
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
   * The report as a row of a table. The CPU times are microseconds per request; "other" is the
   * number of cores that other processes used.
   */
  String row() {
    return String.format(
        Locale.ROOT,
        "%-32s %5d %10.1f %9.1f %9.1f %9.1f %9.1f %9.1f %10.1f %10.1f %5.2f %8d %7d",
        preset.cell(),
        preset.inFlight(),
        count() / seconds,
        percentileMicros(50),
        percentileMicros(90),
        percentileMicros(99),
        percentileMicros(99.9),
        maxMicros(),
        microsPerRequest(cpu.server()),
        microsPerRequest(cpu.generator()),
        cpu.others() / seconds,
        rssMebibytes,
        errors);
  }

  /** The report as a line of JSON, with the field names of the baseline's tools. */
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
        count() / seconds,
        count(),
        errors,
        seconds,
        minMicros(),
        meanMicros(),
        percentileMicros(50),
        percentileMicros(90),
        percentileMicros(99),
        percentileMicros(99.9),
        maxMicros(),
        cpu.server(),
        microsPerRequest(cpu.server()),
        microsPerRequest(cpu.generator()),
        responseBytes,
        cpu.others() / seconds,
        cpu.stolen() / seconds,
        rssMebibytes,
        peakMebibytes);
  }

  private double microsPerRequest(double cpuSeconds) {
    return cpuSeconds * MICROS_PER_SECOND / Math.max(1, count());
  }
}
