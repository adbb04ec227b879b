package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlabPoolThreadsTest {
  private static final int THREADS = 4;
  private static final int STEPS = 20_000;
  private static final long LIMIT = 1L << 30;

  /** A lease and the number that fills it. */
  private record Stamped(Lease lease, long stamp) {
    static Stamped of(Lease lease, long stamp) {
      MemorySegment segment = lease.segment();
      for (long at = 0; at + 8 <= segment.byteSize(); at += step(segment)) {
        segment.set(ValueLayout.JAVA_LONG, at, stamp);
      }
      return new Stamped(lease, stamp);
    }

    /** Every word of small leases, and enough of large ones. */
    private static long step(MemorySegment segment) {
      return segment.byteSize() < 4096 ? 8 : 64;
    }

    void checkAndClose() {
      MemorySegment segment = lease.segment();
      for (long at = 0; at + 8 <= segment.byteSize(); at += step(segment)) {
        if (segment.get(ValueLayout.JAVA_LONG, at) != stamp) {
          throw new AssertionError("a lease overlaps another at byte " + at);
        }
      }
      lease.close();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 42, 20261121})
  void leasesOfFourThreadsNeverOverlap(long seed) throws Exception {
    try (var allocatorPool = new SlabPool(new CountingAllocator(), LIMIT);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      var start = new CyclicBarrier(THREADS);
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        work.add(
            threads.submit(() -> {
              start.await();
              churn(allocatorPool, new SplittableRandom(seed + thread), thread);
              return null;
            }));
      }
      for (Future<?> each : work) {
        each.get();
      }
      assertThat(allocatorPool.outstanding()).isZero();
    }
  }

  private static void churn(SlabPool pool, SplittableRandom random, int thread) {
    List<Stamped> held = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (step % 500 == 0) {
        pool.trim();
      }
      if (held.size() > 16 || (!held.isEmpty() && random.nextBoolean())) {
        held.remove(random.nextInt(held.size())).checkAndClose();
      } else {
        // Mostly sizes of few classes, so that blocks change threads.
        long size = random.nextInt(8) > 0 ? random.nextLong(256, 400) : random.nextLong(1 << 15);
        held.add(Stamped.of(pool.lease(size), ((long) thread << 32) | step));
      }
    }
    held.forEach(Stamped::checkAndClose);
  }

  @ParameterizedTest
  @ValueSource(longs = 7)
  void aLeaseMayBeClosedByAnotherThreadThanTookIt(long seed) throws Exception {
    try (var pool = new SlabPool(new CountingAllocator(), LIMIT);
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      var exchanger = new Exchanger<List<Stamped>>();
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int thread = i;
        var random = new SplittableRandom(seed + thread);
        work.add(
            threads.submit(() -> {
              for (int round = 0; round < 200; round++) {
                List<Stamped> mine = new ArrayList<>();
                for (int k = 0; k < 20; k++) {
                  mine.add(Stamped.of(pool.lease(random.nextLong(512)), thread * 1000L + k));
                }
                exchanger.exchange(mine).forEach(Stamped::checkAndClose);
              }
              return null;
            }));
      }
      for (Future<?> each : work) {
        each.get();
      }
      assertThat(pool.outstanding()).isZero();
    }
  }

  /** Each thread has one lease at a time, and the limit is the sum of the largest of them. */
  @ParameterizedTest
  @ValueSource(longs = {1, 42, 20261122})
  void noLeaseIsRefusedAsLongAsFreeBlocksOfOtherSizesCanMakeRoom(long seed) throws Exception {
    long largest = 64L << 20;
    try (var pool = new SlabPool(new CountingAllocator(), THREADS * largest);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      var start = new CyclicBarrier(THREADS);
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        var random = new SplittableRandom(seed + i);
        work.add(
            threads.submit(() -> {
              start.await();
              for (int step = 0; step < 1000; step++) {
                pool.lease(random.nextLong(1 << 20, largest + 1)).close();
                if (step % 100 == 0) {
                  pool.trim();
                }
              }
              return null;
            }));
      }
      for (Future<?> each : work) {
        each.get();
      }
      assertThat(pool.refusedLeases()).isZero();
      assertThat(pool.freeBytes())
          .isEqualTo(pool.heldBytes())
          .isLessThanOrEqualTo(pool.maxByteSize());
    }
  }
}
