package io.nereid.server.metrics.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.server.metrics.exposition.TextWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NvmlGpusTest {
  private final NvmlDouble nvml = new NvmlDouble();

  @AfterEach
  void everyInitializationHasItsShutdown() {
    nvml.reset();
    assertThat(nvml.initialized()).isZero();
  }

  private NvmlGpus open(Optional<String> visible) throws NvmlException {
    return NvmlGpus.open(NvmlLibrary.open(nvml.path()).orElseThrow(), visible);
  }

  private static String text(NvmlGpus gpus) {
    var writer = new TextWriter();
    GpuFamilies.write(writer, gpus.read());
    return new String(writer.bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void writesTheMetricsOfEachGpuInTritonsUnits() throws NvmlException {
    try (NvmlGpus gpus = open(Optional.of("0"))) {
      assertThat(text(gpus))
          .isEqualTo(
              """
              # HELP nv_gpu_utilization GPU utilization rate [0.0 - 1.0)
              # TYPE nv_gpu_utilization gauge
              nv_gpu_utilization{gpu_uuid="$"} 0.37
              # HELP nv_gpu_memory_total_bytes GPU total memory, in bytes
              # TYPE nv_gpu_memory_total_bytes gauge
              nv_gpu_memory_total_bytes{gpu_uuid="$"} 85899345920
              # HELP nv_gpu_memory_used_bytes GPU used memory, in bytes
              # TYPE nv_gpu_memory_used_bytes gauge
              nv_gpu_memory_used_bytes{gpu_uuid="$"} 1024
              # HELP nv_gpu_power_usage GPU power usage in watts
              # TYPE nv_gpu_power_usage gauge
              nv_gpu_power_usage{gpu_uuid="$"} 71.500
              # HELP nv_gpu_power_limit GPU power management limit in watts
              # TYPE nv_gpu_power_limit gauge
              nv_gpu_power_limit{gpu_uuid="$"} 700.000
              # HELP nv_energy_consumption GPU energy consumption in joules since the Triton Server started
              # TYPE nv_energy_consumption counter
              nv_energy_consumption{gpu_uuid="$"} 0.000
              """
                  .replace("$", NvmlDouble.FIRST));
    }
  }

  @Test
  void countsReservedMemoryAsUsedWhereTheDriverDoes() throws NvmlException {
    NvmlDouble old = NvmlDouble.before510();
    try (NvmlGpus gpus =
        NvmlGpus.open(NvmlLibrary.open(old.path()).orElseThrow(), Optional.of("0"))) {
      assertThat(gpus.read().getFirst().usedBytes()).hasValue(4096 + 1024L);
      assertThat(gpus.read().getFirst().totalBytes()).hasValue(85899345920L);
    }
  }

  @Test
  void countsTheEnergySinceTheFirstReadingAndNeverBackwards() throws NvmlException {
    try (NvmlGpus gpus = open(Optional.of("0"))) {
      assertThat(gpus.read().getFirst().energyMillijoules()).hasValue(0L);
      nvml.setEnergy(7250);
      assertThat(gpus.read().getFirst().energyMillijoules()).hasValue(2250L);
      nvml.setEnergy(100);
      assertThat(gpus.read().getFirst().energyMillijoules()).hasValue(2250L);
      nvml.setEnergy(200);
      assertThat(gpus.read().getFirst().energyMillijoules()).hasValue(2350L);
    }
  }

  @Test
  void leavesOutAValueThatIsNotSupported() throws NvmlException {
    nvml.fail("nvmlDeviceGetPowerUsage", NvmlDouble.NOT_SUPPORTED);
    try (NvmlGpus gpus = open(Optional.empty())) {
      assertThat(text(gpus))
          .doesNotContain("nv_gpu_power_usage")
          .contains("nv_gpu_power_limit{gpu_uuid=\"" + NvmlDouble.SECOND + "\"} 700.001\n");
    }
  }

  @Test
  void leavesOutALostGpuAndReportsItAgainWhenItIsBack() throws NvmlException {
    try (NvmlGpus gpus = open(Optional.empty())) {
      nvml.fail("*", NvmlDouble.GPU_IS_LOST);
      assertThat(text(gpus)).isEmpty();
      nvml.reset();
      assertThat(text(gpus)).contains(NvmlDouble.FIRST, NvmlDouble.SECOND);
    }
  }

  @Test
  void namesTheCallAndTheReasonIfTheLibraryCannotBeUsed() {
    nvml.fail("nvmlInit_v2", NvmlDouble.NO_PERMISSION);
    assertThatThrownBy(() -> open(Optional.empty()))
        .isInstanceOf(NvmlException.class)
        .hasMessage("nvmlInit_v2: Insufficient Permissions (4)");
  }

  @Test
  void shutsTheLibraryDownIfItsDevicesCannotBeFound() {
    nvml.fail("nvmlDeviceGetUUID", NvmlDouble.NO_PERMISSION);
    assertThatThrownBy(() -> open(Optional.empty()))
        .hasMessage("nvmlDeviceGetUUID: Insufficient Permissions (4)");
  }

  @Test
  void aMissingLibraryIsNoFailure() {
    assertThat(NvmlLibrary.open("libno-such-nvml.so.1")).isEmpty();
  }
}
