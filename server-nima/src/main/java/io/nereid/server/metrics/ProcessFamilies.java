package io.nereid.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Map;

/** The process as the system sees it; what the system does not report is left out. */
final class ProcessFamilies {
  private static final System.Logger LOG = System.getLogger(ProcessFamilies.class.getName());
  private static final int NANO_DIGITS = 9;
  private static final int MILLI_DIGITS = 3;

  private final Path status;
  private final long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();

  /**
   * @param status {@code /proc/self/status}
   */
  ProcessFamilies(Path status) {
    this.status = status;
  }

  void write(MetricWriter writer) {
    memory(writer);
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      writer.counter(
          "nereid_process_cpu_seconds_total", "Processor time of the process in seconds");
      writer.sample(
          Labels.NONE, BigDecimal.valueOf(Math.max(0, system.getProcessCpuTime()), NANO_DIGITS));
      writer.gauge(
          "nereid_process_open_files",
          "Open files, sockets included",
          Math.max(0, system.getOpenFileDescriptorCount()));
      writer.gauge(
          "nereid_process_max_files",
          "The most files that the process may open",
          Math.max(0, system.getMaxFileDescriptorCount()));
    }
    writer.gauge(
        "nereid_process_start_time_seconds",
        "When the process started, in seconds since the epoch",
        BigDecimal.valueOf(startMillis, MILLI_DIGITS));
  }

  private void memory(MetricWriter writer) {
    Map<String, Long> sizes;
    try {
      sizes = ProcFile.sizes(status);
    } catch (IOException noLinux) {
      LOG.log(System.Logger.Level.DEBUG, "no memory metrics of the process: {0}", noLinux);
      return;
    }
    size(writer, sizes, "VmRSS", "nereid_process_resident_memory_bytes", "Memory of the process");
    size(
        writer,
        sizes,
        "VmHWM",
        "nereid_process_resident_memory_peak_bytes",
        "The most memory of the process so far");
    size(
        writer,
        sizes,
        "VmSize",
        "nereid_process_virtual_memory_bytes",
        "Address space of the process");
  }

  private static void size(
      MetricWriter writer, Map<String, Long> sizes, String field, String name, String help) {
    Long bytes = sizes.get(field);
    if (bytes != null) {
      writer.gauge(name, help, bytes);
    }
  }
}
