package io.nereid.engine.memory;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Has the JVM collect the garbage of a process that is idle: with the serial collector, which is
 * that of small machines and otherwise collects the old generation only when it is full. The JVM
 * gives back what the heap need not hold then. Used by one thread.
 */
public final class HeapTrim {
  /** Processor time between two looks, of a process that does no more than answer probes. */
  private static final long IDLE_NANOS = 150_000_000;

  private static final String SERIAL_COLLECTOR = "MarkSweepCompact";

  private final LongSupplier processorTime;
  private final Runnable collection;
  private long seen = Long.MIN_VALUE;
  private boolean isTrimmed;

  /**
   * @param processorTime of the process so far, in nanoseconds
   * @param collection collects the garbage
   */
  HeapTrim(LongSupplier processorTime, Runnable collection) {
    this.processorTime = processorTime;
    this.collection = collection;
  }

  /** That of this process. */
  public static HeapTrim ofProcess() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    boolean isSerial =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .anyMatch(collector -> collector.getName().equals(SERIAL_COLLECTOR));
    return new HeapTrim(system::getProcessCpuTime, isSerial ? System::gc : () -> {});
  }

  /** Collects once after the process was idle between two calls, and again once it has worked. */
  public void run() {
    long now = processorTime.getAsLong();
    boolean wasIdle = now < seen + IDLE_NANOS;
    if (wasIdle && !isTrimmed) {
      collection.run();
    }
    isTrimmed = wasIdle;
    seen = now;
  }
}
