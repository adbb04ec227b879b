package io.nereid.instance;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.memory.BufferPool;
import io.nereid.spi.Model;
import java.util.ArrayList;
import java.util.List;

/** The open instances of one model version and the ring they read. */
public final class InstanceGroup implements AutoCloseable {
  private final RequestRing ring;
  private final List<InstanceRunner> runners = new ArrayList<>();

  /**
   * Opens an instance for each of {@code instances}, all at once, and waits for them.
   *
   * @param queueCapacity requests that may wait; a power of two
   * @param pool for outputs and for batches put together
   * @throws InferenceException if one cannot be opened; the others are closed again
   */
  public static InstanceGroup open(
      ModelConfig config,
      Model model,
      List<InstanceSettings> instances,
      int queueCapacity,
      BufferPool pool) {
    var group = new InstanceGroup(new RequestRing(queueCapacity));
    for (InstanceSettings settings : instances) {
      group.runners.add(new InstanceRunner(config, model, settings, group.ring.reader(), pool));
    }
    try {
      group.runners.forEach(InstanceRunner::start);
      group.runners.forEach(InstanceRunner::awaitOpen);
      return group;
    } catch (RuntimeException refused) {
      group.close();
      throw refused;
    }
  }

  private InstanceGroup(RequestRing ring) {
    this.ring = ring;
  }

  public RequestRing ring() {
    return ring;
  }

  /** Whether every instance, passive ones too, says that it can work. */
  public boolean isHealthy() {
    for (InstanceRunner runner : runners) {
      if (!runner.isHealthy()) {
        return false;
      }
    }
    return true;
  }

  /** Closes the instances, each after what it is running; for when nothing is queued any more. */
  @Override
  public void close() {
    ring.stop();
    boolean interrupted = false;
    for (InstanceRunner runner : runners) {
      while (true) {
        try {
          runner.join();
          break;
        } catch (InterruptedException again) {
          interrupted = true; // the native side must not be freed under a running instance
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
