package io.nereid.server.grpc.connection;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The calls in flight of all connections and of each client, and their limit. A client may have as
 * many as are free for others, as of {@link io.nereid.engine.memory.RequestMemory}: alone half of
 * them. Each event loop counts its own calls in cache lines of its own, so that no call waits for
 * another processor's count. The sums are taken only while an event loop has more than its share of
 * half the limit: otherwise each client is within its own. Thread-safe.
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
   * @param max of all clients
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
    return max / 2 / loopCount;
  }

  /** Why the newest call of a client is one too many. */
  enum Excess {
    OF_SERVER,
    OF_CLIENT
  }

  /** The calls of a client: one count for each event loop that serves it. */
  static final class OfClient {
    private final ConcurrentMap<OfLoop, Counter> counters = new ConcurrentHashMap<>();

    Counter of(OfLoop loop) {
      return counters.computeIfAbsent(loop, _ -> new Counter());
    }

    int get() {
      return counters.values().stream().mapToInt(Counter::get).sum();
    }
  }

  /** The calls of a client on an event loop, which alone changes this. */
  static final class Counter {
    private static final int AT = INTS_PER_LOOP / 2;

    private final AtomicIntegerArray count = new AtomicIntegerArray(INTS_PER_LOOP);

    private void add(int change) {
      count.setRelease(AT, count.getPlain(AT) + change);
    }

    private int get() {
      return count.get(AT);
    }
  }

  /** The calls of an event loop, which alone uses this. */
  final class OfLoop {
    private final int index;

    private OfLoop(int index) {
      this.index = index;
    }

    void add(Counter client) {
      client.add(1);
      int count = calls.getPlain(index) + 1;
      calls.setRelease(index, count);
      if (count == share() + 1) {
        aboveShare.incrementAndGet();
      }
    }

    void remove(Counter client) {
      client.add(-1);
      int count = calls.getPlain(index) - 1;
      calls.setRelease(index, count);
      if (count == share()) {
        aboveShare.decrementAndGet();
      }
    }

    /** Whether the event loop has a single call. */
    boolean isOne() {
      return calls.getPlain(index) == 1;
    }

    /** Why the newest call, which is the client's, is to be refused; null if it is not. */
    @Nullable Excess excess(OfClient client) {
      if (aboveShare.get() == 0) {
        return null;
      }
      int all = CallCount.this.get();
      if (all > max) {
        return Excess.OF_SERVER;
      }
      return client.get() > Math.max(1, max - all) ? Excess.OF_CLIENT : null;
    }
  }
}
