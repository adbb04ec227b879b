package io.nereid.engine.memory;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The limits of off-heap memory, in bytes.
 *
 * @param maxTensorBytes what a pool may hold, leased or free
 * @param maxRequestBytes what the requests of all clients may have of it
 * @param maxClientBytes what the requests of a client may have, if that is less than its share
 */
public record MemorySettings(long maxTensorBytes, long maxRequestBytes, long maxClientBytes) {
  /** The most elements of an input of strings: 128 MiB of objects in ONNX Runtime. */
  public static final int DEFAULT_MAX_STRINGS = 4 << 20;

  /** The defaults on this machine, or in its container. */
  public static MemorySettings ofMachine() {
    return of(machineBytes());
  }

  /** The memory of this machine, or of its container. */
  public static long machineBytes() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getTotalMemorySize();
  }

  /**
   * The defaults on a machine: half of its memory, and three quarters of that for requests. The
   * last quarter remains for responses, batches and states.
   *
   * @param machineBytes the memory of the machine or its container
   */
  public static MemorySettings of(long machineBytes) {
    return ofTensors(machineBytes / 2);
  }

  /** The defaults with this limit of a pool. */
  public static MemorySettings ofTensors(long maxTensorBytes) {
    return new MemorySettings(maxTensorBytes, maxTensorBytes / 4 * 3, Long.MAX_VALUE);
  }
}
