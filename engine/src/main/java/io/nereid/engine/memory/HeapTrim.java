package io.nereid.engine.memory;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Has the JVM collect the garbage of a process that is idle, or whose old generation has grown:
 * with the serial collector, which is that of small machines and otherwise collects this generation
 * only when the heap is as large as it may be. The JVM gives back what the heap need not hold then.
 * Used by one thread.
 */
public final class HeapTrim {
  /** Processor time between two looks, of a process that does no more than answer probes. */
  private static final long IDLE_NANOS = 150_000_000;

  /** By how much the old generation may exceed twice what its last collection left. */
  private static final long GROWN_BYTES = 64L << 20;

  private static final String SERIAL_COLLECTOR = "MarkSweepCompact";
  private static final String OLD_GENERATION = "Tenured Gen";

  private final LongSupplier processorTime;
  private final BooleanSupplier hasGrown;
  private final Runnable collection;
  private long seen = Long.MIN_VALUE;
  private boolean isTrimmed;

  /**
   * @param processorTime of the process so far, in nanoseconds
   * @param hasGrown whether much of the old generation may be garbage
   * @param collection collects the garbage
   */
  HeapTrim(LongSupplier processorTime, BooleanSupplier hasGrown, Runnable collection) {
    this.processorTime = processorTime;
    this.hasGrown = hasGrown;
    this.collection = collection;
  }

  public static HeapTrim ofProcess() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    boolean isSerial =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .anyMatch(collector -> collector.getName().equals(SERIAL_COLLECTOR));
    return new HeapTrim(
        system::getProcessCpuTime, HeapTrim::hasGrown, isSerial ? System::gc : () -> {});
  }

  private static boolean hasGrown() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getName().equals(OLD_GENERATION))
        .anyMatch(pool -> isGrown(pool.getUsage().getUsed(), pool.getCollectionUsage().getUsed()));
  }

  static boolean isGrown(long used, long leftByCollection) {
    return used > 2 * leftByCollection + GROWN_BYTES;
  }

  /**
   * Collects once after the process was idle between two calls, and again once it has worked; and
   * whenever the old generation has grown.
   */
  public void run() {
    long now = processorTime.getAsLong();
    boolean wasIdle = now < seen + IDLE_NANOS;
    if ((wasIdle && !isTrimmed) || hasGrown.getAsBoolean()) {
      collection.run();
    }
    isTrimmed = wasIdle;
    seen = now;
  }
}
