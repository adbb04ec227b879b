package io.nereid.server.metrics.gpu;

import io.nereid.engine.thread.ThreadGuard;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the GPUs in an interval, on a platform thread of its own that makes all calls of NVML. The
 * thread ends at once where there is no library or no GPU. A call that blocks delays the readings
 * and no other thread: {@link #latest} returns those before it, until they are too old.
 * Thread-safe.
 */
public final class GpuMetricsRunner implements AutoCloseable {
  /** NVML's own sample period is from 1/6 of a second to a second. */
  private static final Duration MIN_INTERVAL = Duration.ofMillis(100);

  /** How old readings may be: this, and at least so many intervals. */
  private static final Duration MIN_MAX_AGE = Duration.ofSeconds(10);

  private static final int MAX_AGE_INTERVALS = 5;

  private static final Duration MAX_CLOSE = Duration.ofSeconds(1);
  private static final System.Logger LOG = System.getLogger(GpuMetricsRunner.class.getName());

  private final String library;
  private final Optional<String> visible;
  private final Duration interval;
  private final Duration maxAge;
  private final LongSupplier clock;
  private final AtomicBoolean reportedOld = new AtomicBoolean();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final ThreadGuard guard = new ThreadGuard("gpu metrics");
  private final Thread thread =
      Thread.ofPlatform().daemon().name("gpu metrics").unstarted(this::run);
  private volatile List<String> uuids = List.of();
  private volatile @Nullable Readings latest;

  /** What was read at a time of the clock. */
  private record Readings(long nanos, List<GpuReading> gpus) {}

  private GpuMetricsRunner(
      String library, Optional<String> visible, Duration interval, LongSupplier clock) {
    this.library = library;
    this.visible = visible;
    this.interval = longer(interval, MIN_INTERVAL);
    this.maxAge = longer(times(MAX_AGE_INTERVALS, this.interval), MIN_MAX_AGE);
    this.clock = clock;
  }

  /** As {@link Duration#multipliedBy}, which takes 25 ms of a start to initialize BigDecimal. */
  private static Duration times(int factor, Duration duration) {
    return Duration.ofNanos(factor * duration.toNanos());
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /**
   * Starts to read the GPUs of this machine.
   *
   * @param interval between readings; at least 100 ms is taken
   */
  public static GpuMetricsRunner start(Duration interval) {
    return start(
        NvmlLibrary.NAME,
        Optional.ofNullable(System.getenv("CUDA_VISIBLE_DEVICES")),
        interval,
        System::nanoTime);
  }

  static GpuMetricsRunner start(
      String library, Optional<String> visible, Duration interval, LongSupplier clock) {
    var runner = new GpuMetricsRunner(library, visible, interval, clock);
    runner.thread.start();
    return runner;
  }

  /**
   * The last readings, one for each GPU; empty before the first, and once they are older than five
   * intervals and ten seconds, since the driver has not answered for as long. Does not block.
   */
  public List<GpuReading> latest() {
    Readings last = latest;
    if (last == null) {
      return List.of();
    }
    if (clock.getAsLong() - last.nanos <= maxAge.toNanos()) {
      return last.gpus;
    }
    if (reportedOld.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "NVML has not answered for {0} s; the metrics of GPUs are left out until it does",
          maxAge.toSeconds());
    }
    return List.of();
  }

  /** The UUIDs of the GPUs, in the order of their numbers; empty until they are known. */
  public List<String> uuids() {
    return uuids;
  }

  private void run() {
    Optional<NvmlLibrary> nvml = NvmlLibrary.open(library);
    if (nvml.isEmpty()) {
      LOG.log(Level.DEBUG, "no metrics of GPUs: there is no {0}", library);
      return;
    }
    try (NvmlGpus gpus = NvmlGpus.open(nvml.get(), visible)) {
      uuids = gpus.uuids();
      LOG.log(Level.INFO, "Collecting metrics of GPUs: {0}", uuids);
      boolean ended = uuids.isEmpty();
      while (!ended) {
        guard.run(() -> read(gpus));
        ended = stopped.await(interval.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (NvmlException failed) {
      LOG.log(Level.WARNING, "There are no metrics of GPUs: {0}", failed.getMessage());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(NvmlGpus gpus) {
    List<GpuReading> read = gpus.read();
    latest = new Readings(clock.getAsLong(), read);
    reportedOld.set(false);
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
