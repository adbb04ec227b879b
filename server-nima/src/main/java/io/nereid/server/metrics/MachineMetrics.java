package io.nereid.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The processor load and memory of the machine; memory is known on Linux only. */
final class MachineMetrics {
  private static final System.Logger LOG = System.getLogger(MachineMetrics.class.getName());
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final Path memory;
  private final Duration interval;
  private final LongSupplier clock;
  private @Nullable Observation latest;

  /**
   * The measured values.
   *
   * @param load of the processors, from 0 to 1; negative or NaN if not known yet
   * @param sizes in bytes, by their names in {@code /proc/meminfo}
   */
  private record Observation(long nanos, double load, Map<String, Long> sizes) {}

  /**
   * @param memory {@code /proc/meminfo}
   * @param interval for how long an observation is reused; the load is that since the one before
   * @param clock nanoseconds
   */
  MachineMetrics(Path memory, Duration interval, LongSupplier clock) {
    this.memory = memory;
    this.interval = interval;
    this.clock = clock;
  }

  private synchronized Observation observe() {
    long now = clock.getAsLong();
    if (latest == null || Duration.ofNanos(now - latest.nanos).compareTo(interval) >= 0) {
      latest = new Observation(now, system.getCpuLoad(), sizes());
    }
    return latest;
  }

  /** Writes the values that are known. */
  void write(MetricWriter writer) {
    Observation observed = observe();
    if (observed.load >= 0) {
      writer.gauge(
          "nv_cpu_utilization",
          "CPU utilization rate [0.0 - 1.0]",
          new BigDecimal(observed.load, DIGITS));
    }
    Map<String, Long> sizes = observed.sizes;
    Long total = sizes.get("MemTotal");
    Long available = sizes.get("MemAvailable");
    if (total == null || available == null) {
      return;
    }
    writer.gauge("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", total);
    writer.gauge("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", total - available);
  }

  /** The sizes of memory; none where there is no such file. */
  private Map<String, Long> sizes() {
    try {
      return ProcFile.sizes(memory);
    } catch (IOException noLinux) {
      LOG.log(System.Logger.Level.DEBUG, "no memory metrics: {0}", noLinux);
      return Map.of();
    }
  }
}
