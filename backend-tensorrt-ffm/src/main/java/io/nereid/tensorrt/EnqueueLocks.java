package io.nereid.tensorrt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a backend under which instances enqueue batches, one for each device. Thread-safe.
 *
 * <p>They are fair: under load, each instance on a device enqueues as often as the others.
 */
final class EnqueueLocks {
  private final boolean deviceBlocking;
  private final Map<Integer, Lock> locks = new ConcurrentHashMap<>();

  /**
   * @param deviceBlocking whether the policy is {@code DEVICE_BLOCKING}; otherwise there are no
   *     locks
   */
  EnqueueLocks(boolean deviceBlocking) {
    this.deviceBlocking = deviceBlocking;
  }

  /** The lock of a device; null if its instances enqueue at the same time. */
  @Nullable Lock ofDevice(int gpu) {
    return deviceBlocking ? locks.computeIfAbsent(gpu, _ -> new ReentrantLock(true)) : null;
  }
}
