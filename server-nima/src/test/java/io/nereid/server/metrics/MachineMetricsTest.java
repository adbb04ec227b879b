package io.nereid.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.metrics.exposition.TextWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineMetricsTest {
  @TempDir Path folder;

  private long nanos;

  private MachineMetrics metrics() {
    return new MachineMetrics(folder.resolve("meminfo"), Duration.ofSeconds(2), () -> nanos);
  }

  private static String text(MachineMetrics metrics) {
    var writer = new TextWriter();
    metrics.write(writer);
    return new String(writer.bytes(), StandardCharsets.UTF_8);
  }

  private String text() {
    return text(metrics());
  }

  @Test
  void observesTheMachineOncePerInterval() throws IOException {
    MachineMetrics metrics = metrics();
    assertThat(text(metrics)).doesNotContain("nv_cpu_memory");
    Files.writeString(folder.resolve("meminfo"), "MemTotal: 2 kB\nMemAvailable: 1 kB\n");

    nanos = Duration.ofSeconds(2).toNanos() - 1;
    assertThat(text(metrics)).doesNotContain("nv_cpu_memory");
    nanos++;
    assertThat(text(metrics)).contains("nv_cpu_memory_total_bytes 2048\n");
  }

  @Test
  void usedMemoryIsTheMemoryThatIsNotAvailable() throws IOException {
    Files.writeString(
        folder.resolve("meminfo"),
        """
        MemTotal:        2000 kB
        MemFree:          100 kB
        MemAvailable:    1500 kB
        HugePages_Total:       0
        """);

    assertThat(text())
        .contains("# TYPE nv_cpu_memory_total_bytes gauge\nnv_cpu_memory_total_bytes 2048000\n")
        .contains("# TYPE nv_cpu_memory_used_bytes gauge\nnv_cpu_memory_used_bytes 512000\n");
  }

  @Test
  void omitsMemoryWhereTheSystemDoesNotReportIt() {
    assertThat(text()).doesNotContain("nv_cpu_memory");
  }
}
