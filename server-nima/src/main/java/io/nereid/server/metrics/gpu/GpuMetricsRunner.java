package io.nereid.server.metrics.gpu;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads the GPUs in an interval, on a platform thread of its own that makes all calls of NVML. The
 * thread ends at once where there is no library or no GPU. A call that blocks delays the readings
 * and no other thread: {@link #latest} returns those before it. Thread-safe.
 */
public final class GpuMetricsRunner implements AutoCloseable {
  /** NVML's own sample period is from 1/6 of a second to a second. */
  private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

  private static final Duration MAX_CLOSE = Duration.ofSeconds(1);
  private static final System.Logger LOG = System.getLogger(GpuMetricsRunner.class.getName());

  private final String library;
  private final Optional<String> visible;
  private final Duration interval;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread =
      Thread.ofPlatform().daemon().name("gpu metrics").unstarted(this::run);
  private volatile List<GpuReading> latest = List.of();

  private GpuMetricsRunner(String library, Optional<String> visible, Duration interval) {
    this.library = library;
    this.visible = visible;
    this.interval = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
  }

  /**
   * Starts to read the GPUs of this machine.
   *
   * @param interval between readings; at least 100 ms is taken
   */
  public static GpuMetricsRunner start(Duration interval) {
    return start(
        NvmlLibrary.NAME, Optional.ofNullable(System.getenv("CUDA_VISIBLE_DEVICES")), interval);
  }

  static GpuMetricsRunner start(String library, Optional<String> visible, Duration interval) {
    var runner = new GpuMetricsRunner(library, visible, interval);
    runner.thread.start();
    return runner;
  }

  /** The last readings, one for each GPU; empty before the first. Does not block. */
  public List<GpuReading> latest() {
    return latest;
  }

  private void run() {
    Optional<NvmlLibrary> nvml = NvmlLibrary.open(library);
    if (nvml.isEmpty()) {
      LOG.log(Level.DEBUG, "no metrics of GPUs: there is no {0}", library);
      return;
    }
    try (NvmlGpus gpus = NvmlGpus.open(nvml.get(), visible)) {
      LOG.log(Level.INFO, "Collecting metrics of GPUs: {0}", gpus.uuids());
      boolean ended = gpus.uuids().isEmpty();
      while (!ended) {
        latest = gpus.read();
        ended = stopped.await(interval.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (NvmlException failed) {
      LOG.log(Level.WARNING, "There are no metrics of GPUs: {0}", failed.getMessage());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the thread; waits for at most a second for a call that blocks. */
  @Override
  public void close() {
    stopped.countDown();
    try {
      if (!thread.join(MAX_CLOSE)) {
        LOG.log(Level.WARNING, "A call of NVML blocks; the server stops without its return");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
