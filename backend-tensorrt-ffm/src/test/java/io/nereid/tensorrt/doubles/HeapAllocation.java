package io.nereid.tensorrt.doubles;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Measures what code allocates on the Java heap once it is compiled. What the compiler makes of it
 * depends on all that has run in the process before, so the tests that use this class have a
 * process of their own.
 */
public final class HeapAllocation {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private HeapAllocation() {}

  /**
   * Runs {@code work} in rounds until a round allocates no more than {@code expected} bytes, or the
   * compiler has had time enough.
   *
   * @param runs in a round
   * @return the bytes of the round that allocated least
   */
  public static long least(int runs, long expected, Runnable work) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long begin = System.nanoTime();
    long least = Long.MAX_VALUE;
    while (least > expected && System.nanoTime() - begin < MAX_WAIT.toNanos()) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < runs; i++) {
        work.run();
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}
