package io.nereid.server.metrics.gpu;

import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.metrics.exposition.MetricWriter.Kind;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The metrics of GPUs, under Triton's names. A family without samples is left out. */
public final class GpuFamilies {
  private final MetricWriter writer;
  private final List<GpuReading> readings;

  private GpuFamilies(MetricWriter writer, List<GpuReading> readings) {
    this.writer = writer;
    this.readings = readings;
  }

  /** Writes the values that are known. */
  public static void write(MetricWriter writer, List<GpuReading> readings) {
    new GpuFamilies(writer, readings).write();
  }

  private void write() {
    gauge(
        "nv_gpu_utilization",
        "GPU utilization rate [0.0 - 1.0)",
        2,
        GpuReading::utilizationPercent);
    gauge("nv_gpu_memory_total_bytes", "GPU total memory, in bytes", 0, GpuReading::totalBytes);
    gauge("nv_gpu_memory_used_bytes", "GPU used memory, in bytes", 0, GpuReading::usedBytes);
    gauge("nv_gpu_power_usage", "GPU power usage in watts", 3, GpuReading::powerMilliwatts);
    gauge(
        "nv_gpu_power_limit",
        "GPU power management limit in watts",
        3,
        GpuReading::powerLimitMilliwatts);
    write(
        Kind.COUNTER,
        "nv_energy_consumption",
        "GPU energy consumption in joules since the Triton Server started",
        3,
        GpuReading::energyMillijoules);
  }

  private void gauge(
      String name, String help, int scale, Function<GpuReading, Optional<Long>> value) {
    write(Kind.GAUGE, name, help, scale, value);
  }

  /**
   * Writes a family.
   *
   * @param scale how many decimal digits of the value are behind the point
   */
  private void write(
      Kind kind, String name, String help, int scale, Function<GpuReading, Optional<Long>> value) {
    List<GpuReading> known =
        readings.stream().filter(reading -> value.apply(reading).isPresent()).toList();
    if (known.isEmpty()) {
      return;
    }
    writer.family(kind, name, help);
    known.forEach(reading ->
        writer.sample(
            Labels.of("gpu_uuid", reading.uuid()),
            BigDecimal.valueOf(value.apply(reading).orElseThrow(), scale)));
  }
}
