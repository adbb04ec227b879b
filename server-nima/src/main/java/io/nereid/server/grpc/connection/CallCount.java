package io.nereid.server.grpc.connection;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The calls in flight of all connections, and their limit. Each event loop counts its own calls in
 * cache lines of its own, so that no call waits for another processor's count. The sum is taken
 * only while an event loop has more than its share of the limit: otherwise the sum is within the
 * limit. Thread-safe.
 */
final class CallCount {
  /** Two cache lines, since processors fetch them in pairs. */
  private static final int INTS_PER_LOOP = 32;

  private final AtomicIntegerArray calls;
  private final int max;
  private final int loopCount;

  /** Event loops with more calls than their share. */
  private final AtomicInteger aboveShare = new AtomicInteger();

  private final AtomicInteger known = new AtomicInteger();
  private final ConcurrentMap<Object, OfLoop> loops = new ConcurrentHashMap<>();

  /**
   * @param max above which {@link OfLoop#isExceeded} is true
   * @param loopCount the number of event loops
   */
  CallCount(int max, int loopCount) {
    this.max = max;
    this.loopCount = loopCount;
    calls = new AtomicIntegerArray(loopCount * INTS_PER_LOOP);
  }

  /** The count of an event loop, to which alone it belongs. */
  OfLoop of(Object eventLoop) {
    return loops.computeIfAbsent(
        eventLoop, _ -> new OfLoop(known.getAndIncrement() * INTS_PER_LOOP));
  }

  /** All calls in flight. */
  int get() {
    int sum = 0;
    for (int loop = 0; loop < loopCount; loop++) {
      sum += calls.get(loop * INTS_PER_LOOP);
    }
    return sum;
  }

  private int share() {
    return max / loopCount;
  }

  /** The calls of an event loop, which alone uses this. */
  final class OfLoop {
    private final int index;

    private OfLoop(int index) {
      this.index = index;
    }

    void add() {
      int count = calls.getPlain(index) + 1;
      calls.setRelease(index, count);
      if (count == share() + 1) {
        aboveShare.incrementAndGet();
      }
    }

    void remove() {
      int count = calls.getPlain(index) - 1;
      calls.setRelease(index, count);
      if (count == share()) {
        aboveShare.decrementAndGet();
      }
    }

    /** Whether there are more calls than permitted, so that the newest is to be refused. */
    boolean isExceeded() {
      return aboveShare.get() > 0 && CallCount.this.get() > max;
    }
  }
}
