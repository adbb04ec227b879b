package io.nereid.tensorrt.build;

import io.nereid.tensorrt.builder.NetworkBuilder;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.engine.TensorRt;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The builder of each device, which builds share that follow each other: TensorRT reads its kernels
 * when it creates one, which takes longer than most builds, and memory (25 s and 3.3 GB on an
 * H100). A builder is closed a while after its last build. Thread-safe.
 */
final class SharedBuilders implements AutoCloseable {
  private final TensorRt tensorRt;
  private final Executor later;
  private final Map<Integer, Shared> devices = new HashMap<>();
  private boolean closed;

  /**
   * @param later runs what closes a builder that is not used in the meantime
   */
  SharedBuilders(TensorRt tensorRt, Executor later) {
    this.tensorRt = tensorRt;
    this.later = later;
  }

  private static final class Shared {
    private volatile int joins; // in all
    private int uses; // now
    private @Nullable Builder builder;

    void closeBuilder() {
      Builder present = builder;
      builder = null;
      if (present != null) {
        present.close();
      }
    }
  }

  /** A builder, and the timings that its builds share, which must outlive it. */
  record Builder(NetworkBuilder networks, TimingCache timings) implements AutoCloseable {
    @Override
    public void close() {
      try (var _ = timings) {
        networks.close();
      }
    }
  }

  /**
   * Joins those that build on a device.
   *
   * @param device the one that is current on this thread, until the use is closed
   * @param timings the file of the device's timings
   */
  synchronized Use join(int device, TimingCacheFile timings) {
    Shared shared = devices.computeIfAbsent(device, _ -> new Shared());
    shared.joins++;
    shared.uses++;
    return new Use(device, shared, timings);
  }

  /** Closes the builders that are not used now, and each other one after its last use. */
  @Override
  public void close() {
    Map<Integer, Shared> present;
    synchronized (this) {
      closed = true;
      present = Map.copyOf(devices);
    }
    present.forEach(this::closeUnused);
  }

  private void closeUnused(int device, Shared shared) {
    synchronized (this) {
      if (shared.uses > 0 || !devices.remove(device, shared)) {
        return;
      }
    }
    CudaDevice gpu = CudaDevice.of(device);
    if (gpu.failure() == null) {
      gpu.use();
    }
    shared.closeBuilder();
  }

  /** A thread's use of a builder. */
  final class Use implements AutoCloseable {
    private final int device;
    private final Shared shared;
    private final TimingCacheFile timings;

    private Use(int device, Shared shared, TimingCacheFile timings) {
      this.device = device;
      this.shared = shared;
      this.timings = timings;
    }

    /**
     * The builder, created if there is none. One thread at a time uses it.
     *
     * @throws io.nereid.tensorrt.engine.TensorRtException if TensorRT does not create one
     */
    Builder builder() {
      Builder builder = shared.builder;
      if (builder == null) {
        builder = new Builder(NetworkBuilder.create(tensorRt), new TimingCache(timings));
        shared.builder = builder;
      }
      return builder;
    }

    /** Closes the builder, which a failure has left in an unknown state. */
    void discard() {
      shared.closeBuilder();
    }

    @Override
    public void close() {
      int joins;
      Executor executor;
      synchronized (SharedBuilders.this) {
        shared.uses--;
        joins = shared.joins;
        executor = closed || shared.builder == null ? Runnable::run : later;
      }
      executor.execute(() -> {
        if (shared.joins == joins) { // no build has begun since
          closeUnused(device, shared);
        }
      });
    }
  }
}
