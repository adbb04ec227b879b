package io.nereid.server.metrics.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GpuMetricsRunnerTest {
  private final NvmlDouble nvml = new NvmlDouble();
  private final AtomicLong clock = new AtomicLong();

  @AfterEach
  void release() {
    nvml.reset();
    nvml.awaitShutdown();
  }

  private GpuMetricsRunner start() {
    return GpuMetricsRunner.start(nvml.path(), Optional.empty(), Duration.ZERO, clock::get);
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
  void hasNoReadingsOnceTheyAreTooOldUntilTheDriverAnswers() {
    nvml.gate("nvmlDeviceGetPowerUsage", 2);
    try (GpuMetricsRunner runner = start()) {
      nvml.awaitWaitingCall();
      clock.set(Duration.ofSeconds(10).toNanos());
      assertThat(runner.latest()).hasSize(2);
      clock.addAndGet(1);
      assertThat(runner.latest()).isEmpty();
      assertThat(runner.uuids()).containsExactly(NvmlDouble.FIRST, NvmlDouble.SECOND);

      nvml.reset();
      nvml.gate("nvmlDeviceGetUtilizationRates", 4); // of two readings
      nvml.awaitWaitingCall();
      assertThat(runner.latest()).hasSize(2);
      nvml.reset();
    }
  }

  @Test
  void closesWhileACallBlocksAndShutsDownOnceItReturns() {
    nvml.gate("nvmlDeviceGetMemoryInfo_v2", 0);
    GpuMetricsRunner runner = start();
    nvml.awaitWaitingCall();

    runner.close();
    assertThat(nvml.initialized()).isOne();

    nvml.reset();
    nvml.awaitShutdown();
  }

  @Test
  void hasNoReadingsWithoutALibrary() {
    var runner =
        GpuMetricsRunner.start("libno-such-nvml.so.1", Optional.empty(), Duration.ZERO, clock::get);
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

  @Test
  void readsOnBehindAnError() throws InterruptedException {
    var readings = new AtomicInteger();
    var readAgain = new CountDownLatch(1);
    LongSupplier failingOnce =
        () -> {
          if (readings.incrementAndGet() == 1) {
            throw new OutOfMemoryError("of a test");
          }
          readAgain.countDown();
          return 0;
        };
    try (var runner =
        GpuMetricsRunner.start(nvml.path(), Optional.empty(), Duration.ZERO, failingOnce)) {
      assertThat(readAgain.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(runner.uuids()).hasSize(2);
    }
  }
}
