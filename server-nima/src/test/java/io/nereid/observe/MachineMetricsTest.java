package io.nereid.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineMetricsTest {
  @TempDir Path folder;

  private String text() {
    var writer = new PrometheusWriter();
    new MachineMetrics(folder.resolve("meminfo")).write(writer);
    return writer.text();
  }

  @Test
  void memoryInUseIsWhatIsNotAvailable() throws IOException {
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
  void memoryIsLeftOutWhereTheSystemDoesNotTell() {
    assertThat(text()).doesNotContain("nv_cpu_memory");
  }
}
