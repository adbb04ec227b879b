package io.nereid.server.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The machine's processors and memory, as Linux tells of them. */
final class MachineMetrics {
  private static final System.Logger LOG = System.getLogger(MachineMetrics.class.getName());
  private static final SortedMap<String, String> NO_LABELS = Collections.emptySortedMap();
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
  private static final Pattern SIZE = Pattern.compile("(\\w+): +(\\d+) kB");
  private static final int BYTES_PER_KIB = 1024;

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final Path memory;
  private final Duration interval;
  private final LongSupplier clock;
  private @Nullable Look look;

  /**
   * What was seen.
   *
   * @param load of the processors, from 0 to 1; below 0 or NaN: not known yet
   * @param sizes in bytes, by the names that {@code /proc/meminfo} gives them
   */
  private record Look(long nanos, double load, Map<String, Long> sizes) {}

  /**
   * @param memory {@code /proc/meminfo}
   * @param interval for how long a look counts: the load is that since the look before
   * @param clock nanoseconds
   */
  MachineMetrics(Path memory, Duration interval, LongSupplier clock) {
    this.memory = memory;
    this.interval = interval;
    this.clock = clock;
  }

  private synchronized Look look() {
    long now = clock.getAsLong();
    if (look == null || Duration.ofNanos(now - look.nanos).compareTo(interval) >= 0) {
      look = new Look(now, system.getCpuLoad(), sizes());
    }
    return look;
  }

  /** Writes what is known; what is not is left out. */
  void write(PrometheusWriter writer) {
    Look seen = look();
    if (seen.load >= 0) {
      writer.gauge("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]");
      writer.sample(NO_LABELS, new BigDecimal(seen.load, DIGITS));
    }
    Map<String, Long> sizes = seen.sizes;
    Long total = sizes.get("MemTotal");
    Long available = sizes.get("MemAvailable");
    if (total == null || available == null) {
      return;
    }
    writer.gauge("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes");
    writer.sample(NO_LABELS, total);
    writer.gauge("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes");
    writer.sample(NO_LABELS, total - available);
  }

  /** The lines {@code <name>: <number> kB}, in bytes. */
  private Map<String, Long> sizes() {
    Map<String, Long> sizes = new HashMap<>();
    try {
      for (String line : Files.readAllLines(memory)) {
        Matcher size = SIZE.matcher(line);
        if (size.matches()) {
          sizes.put(size.group(1), Long.parseLong(size.group(2)) * BYTES_PER_KIB);
        }
      }
    } catch (IOException noLinux) {
      LOG.log(System.Logger.Level.DEBUG, "no memory metrics: {0}", noLinux);
    }
    return sizes;
  }
}
