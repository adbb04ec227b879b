package io.nereid.tensorrt.build;

import io.nereid.error.InferenceException;
import java.util.HashSet;
import java.util.Set;

/**
 * The builds that run: one of a plan at a time, so that a second load finds the first one's result
 * in the cache, and one on a device at a time, since a build takes most of its memory and measures
 * how fast kernels are. Thread-safe.
 */
final class BuildQueue {
  private final Set<String> plans = new HashSet<>();
  private final Set<Integer> devices = new HashSet<>();
  private volatile boolean cancelled;

  /** The right to build a plan on a device, until it is closed. */
  final class Permit implements AutoCloseable {
    private final String plan;
    private final int device;

    private Permit(String plan, int device) {
      this.plan = plan;
      this.device = device;
    }

    @Override
    public void close() {
      release(this);
    }
  }

  /**
   * Waits until neither the plan is built nor another one on the device.
   *
   * @throws InferenceException UNAVAILABLE if builds are cancelled, CANCELLED if the thread is
   *     interrupted
   */
  synchronized Permit acquire(String plan, int device) {
    while (!cancelled && (plans.contains(plan) || devices.contains(device))) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw InferenceException.cancelled();
      }
    }
    if (cancelled) {
      throw InferenceException.unavailable("Server exiting");
    }
    plans.add(plan);
    devices.add(device);
    return new Permit(plan, device);
  }

  private synchronized void release(Permit permit) {
    plans.remove(permit.plan);
    devices.remove(permit.device);
    notifyAll();
  }

  /** Rejects builds that wait, and tells those that run to end: {@link #isCancelled}. */
  synchronized void cancel() {
    cancelled = true;
    notifyAll();
  }

  boolean isCancelled() {
    return cancelled;
  }
}
