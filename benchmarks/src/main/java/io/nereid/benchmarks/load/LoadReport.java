package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CpuTimes;
import io.nereid.benchmarks.load.preset.Preset;
import io.nereid.tools.load.RunStatistics;
import io.nereid.tools.load.arrival.ArrivalProcess;
import java.io.IOException;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The results of one run of one cell. Everything except the errors refers to the measured window.
 *
 * @param seconds length of the window
 * @param requests what became of them; does not change any more
 * @param cpu CPU times in the window
 * @param memory of the server at the end of the run
 */
record LoadReport(
    Preset preset,
    ArrivalProcess arrivals,
    double seconds,
    RunStatistics requests,
    CpuTimes cpu,
    Memory memory) {
  /**
   * Resident memory of a process; both 0 if it is unknown.
   *
   * @param peakMebibytes the most since its start
   */
  record Memory(long rssMebibytes, long peakMebibytes) {
    static Memory of(long pid) throws IOException {
      return pid == 0
          ? new Memory(0, 0)
          : new Memory(
              CpuTimes.memoryMebibytes(pid, "VmRSS"), CpuTimes.memoryMebibytes(pid, "VmHWM"));
    }
  }

  /** The headings of the columns of {@link #row}. */
  static final String HEADER =
      "cell                                 n      req/s    p50 us    p90 us"
          + "    p99 us  p99.9 us    max us  server us     gen us other  RSS MiB  errors";

  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;

  /** The number of successful requests in the window. */
  long count() {
    return latencyNanos().getTotalCount();
  }

  private Histogram latencyNanos() {
    return requests.latencyNanos();
  }

  double minMicros() {
    return latencyNanos().getMinValue() / NANOS_PER_MICRO;
  }

  double meanMicros() {
    return latencyNanos().getMean() / NANOS_PER_MICRO;
  }

  double maxMicros() {
    return latencyNanos().getMaxValue() / NANOS_PER_MICRO;
  }

  /** The latency that {@code percent} of the requests did not exceed; 0 if there are none. */
  double percentileMicros(double percent) {
    return latencyNanos().getValueAtPercentile(percent) / NANOS_PER_MICRO;
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
        memory.rssMebibytes,
        requests.errors());
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
        requests.errors(),
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
        requests.responseBytes(),
        cpu.others() / seconds,
        cpu.stolen() / seconds,
        memory.rssMebibytes,
        memory.peakMebibytes);
  }

  private double microsPerRequest(double cpuSeconds) {
    return cpuSeconds * MICROS_PER_SECOND / Math.max(1, count());
  }
}
