package io.nereid.server.metrics.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GpuMetricsRunnerTest {
  private final NvmlDouble nvml = new NvmlDouble();

  @AfterEach
  void release() {
    nvml.reset();
    nvml.awaitShutdown();
  }

  private GpuMetricsRunner start() {
    return GpuMetricsRunner.start(nvml.path(), Optional.empty(), Duration.ZERO);
  }

  @Test
  void returnsTheLastReadingsWhileACallBlocks() {
    nvml.gate("nvmlDeviceGetPowerUsage", 2); // the second reading of two GPUs
    try (GpuMetricsRunner runner = start()) {
      nvml.awaitWaitingCall();

      assertThat(runner.latest())
          .extracting(GpuReading::uuid)
          .containsExactly(NvmlDouble.FIRST, NvmlDouble.SECOND);
      nvml.reset();
    }
  }

  @Test
  void closesWhileACallBlocksAndShutsDownOnceItReturns() {
    nvml.gate("nvmlDeviceGetMemoryInfo", 0);
    GpuMetricsRunner runner = start();
    nvml.awaitWaitingCall();

    runner.close();
    assertThat(nvml.initialized()).isOne();

    nvml.reset();
    nvml.awaitShutdown();
  }

  @Test
  void hasNoReadingsWithoutALibrary() {
    var runner = GpuMetricsRunner.start("libno-such-nvml.so.1", Optional.empty(), Duration.ZERO);
    runner.close();
    assertThat(runner.latest()).isEmpty();
  }

  @Test
  void hasNoReadingsIfTheLibraryFailsAtTheStart() {
    nvml.fail("nvmlInit_v2", NvmlDouble.NO_PERMISSION);
    GpuMetricsRunner runner = start();
    runner.close();
    assertThat(runner.latest()).isEmpty();
  }
}
