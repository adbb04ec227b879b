package io.nereid.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Random look-ups and insertions, compared with a reference. {@code -Dnereid.operations=10000000}
 * sets how many there are, a third for each test.
 */
class CacheRoundsTest {
  private static final int OPERATIONS = Integer.getInteger("nereid.operations", 90_000) / 3;
  private static final int THREADS = 4;
  private static final long GENERATION = 1;
  private static final int MAX_ENTRY = 2_000;
  private static final long BLOCK = LocalMemory.ALIGNMENT;
  private static final AtomicLong LOOK_UPS = new AtomicLong();
  private static final AtomicLong HITS = new AtomicLong();
  private static final AtomicLong EVICTIONS = new AtomicLong();
  private static final long START = System.nanoTime();

  @AfterAll
  static void report() {
    System.out.printf(
        "%d operations in %d ms: %d look-ups, %d hits, %d evictions%n",
        3L * OPERATIONS,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - START),
        LOOK_UPS.get(),
        HITS.get(),
        EVICTIONS.get());
  }

  private static CacheKey key(long number) {
    return new CacheKey(GENERATION, number, -number);
  }

  /** The size of a key's entry. */
  private static long byteSize(CacheKey key) {
    return 8L + new SplittableRandom(key.high()).nextInt(MAX_ENTRY);
  }

  private static long blockSize(CacheKey key) {
    return (byteSize(key) + BLOCK - 1) / BLOCK * BLOCK;
  }

  private static Insertion insert(ResponseCache cache, CacheKey key) {
    return cache.insert(
        key,
        byteSize(key),
        data -> {
          data.fill((byte) key.high());
          data.set(Elements.LONG, 0, key.high());
        });
  }

  private static void check(CacheKey key, CacheEntry entry) {
    MemorySegment data = entry.data();
    boolean right = data.byteSize() == byteSize(key) && data.get(Elements.LONG, 0) == key.high();
    byte expected = (byte) key.high();
    for (long i = 8; i < data.byteSize(); i++) {
      right &= data.get(Elements.BYTE, i) == expected;
    }
    if (!right) {
      throw new AssertionError("wrong content under " + key);
    }
  }

  private static void assertBounded(ResponseCache cache, long capacity) {
    CacheMetrics metrics = cache.metrics();
    if (metrics.usedBytes() < 0 || metrics.usedBytes() > capacity) {
      throw new AssertionError("out of bounds: " + metrics);
    }
  }

  private static Optional<CacheEntry> lookUp(ResponseCache cache, CacheKey key) {
    LOOK_UPS.incrementAndGet();
    Optional<CacheEntry> found = cache.lookUp(key);
    if (found.isPresent()) {
      HITS.incrementAndGet();
    }
    return found;
  }

  /** One thread: after each operation the cache has exactly the entries of the reference. */
  @Test
  void hasTheEntriesThatTheLeastRecentlyUsedOrderLeaves() {
    long capacity = 64 << 10;
    var random = new SplittableRandom(1);
    var reference = new LinkedHashMap<CacheKey, CacheKey>(16, 0.75f, true);
    long[] generations = {0, 1, 2, 3, 4};
    long evictions = 0;
    long used = 0;
    try (var cache = new LocalCache(capacity)) {
      for (int i = 0; i < OPERATIONS; i++) {
        int number = random.nextInt(200);
        var key = new CacheKey(generations[number % generations.length], number, -number);
        Optional<CacheEntry> found = lookUp(cache, key);
        assertSame(found.isPresent(), reference.get(key) != null, key);
        if (found.isPresent()) {
          try (CacheEntry entry = found.get()) {
            check(key, entry);
          }
        } else {
          assertSame(insert(cache, key) == Insertion.INSERTED, true, key);
          for (long evicted = cache.metrics().evictions(); evictions < evicted; evictions++) {
            used -= blockSize(reference.pollFirstEntry().getKey());
          }
          reference.put(key, key);
          used += blockSize(key);
        }
        if (i % 1_000 == 999) {
          int ended = random.nextInt(generations.length);
          long generation = generations[ended];
          generations[ended] += generations.length;
          cache.remove(generation);
          reference.keySet().removeIf(each -> each.generation() == generation);
          used = reference.keySet().stream().mapToLong(CacheRoundsTest::blockSize).sum();
        }
        CacheMetrics metrics = cache.metrics();
        assertSame(metrics.entries() == reference.size(), true, key);
        assertSame(metrics.usedBytes() == used && used <= capacity, true, key);
      }
      EVICTIONS.addAndGet(evictions);
    }
    assertThat(evictions).isPositive();
  }

  private static void assertSame(boolean actual, boolean expected, CacheKey key) {
    if (actual != expected) { // AssertJ would dominate the time
      throw new AssertionError("cache %s, reference %s: %s".formatted(actual, expected, key));
    }
  }

  private static void run(List<Callable<Void>> tasks) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    }
  }

  /** Many threads, no evictions: an entry that a thread has inserted is found by every other. */
  @Test
  void losesNoEntryWhileThereIsRoom() throws Exception {
    int keys = 2_000;
    long capacity = (MAX_ENTRY + 8 + BLOCK) * keys;
    Map<CacheKey, Boolean> inserted = new ConcurrentHashMap<>();
    try (var cache = new LocalCache(capacity)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int seed = 0; seed < THREADS; seed++) {
        var random = new SplittableRandom(seed);
        tasks.add(() -> {
          for (int i = 0; i < OPERATIONS / THREADS; i++) {
            CacheKey key = key(random.nextInt(keys));
            boolean expected = inserted.containsKey(key);
            Optional<CacheEntry> found = lookUp(cache, key);
            if (found.isPresent()) {
              try (CacheEntry entry = found.get()) {
                check(key, entry);
              }
            } else {
              assertSame(expected, false, key);
              if (insert(cache, key) == Insertion.INSERTED) {
                assertSame(inserted.put(key, true) == null, true, key);
              }
            }
          }
          return null;
        });
      }
      run(tasks);
      assertThat(cache.metrics().entries()).isEqualTo(inserted.size());
      assertThat(cache.metrics().evictions()).isZero();
    }
  }

  /** Many threads that hold entries while others evict them, and loads that end. */
  @Test
  void mixesUpNoEntryAndStaysWithinItsMemory() throws Exception {
    long capacity = 256 << 10;
    var inserted = new AtomicLong();
    try (var cache = new LocalCache(capacity)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int seed = 0; seed < THREADS; seed++) {
        var random = new SplittableRandom(seed);
        tasks.add(() -> {
          useAndHold(cache, random, capacity, inserted);
          return null;
        });
      }
      run(tasks);
      CacheMetrics metrics = cache.metrics();
      EVICTIONS.addAndGet(metrics.evictions());
      assertThat(metrics.entries()).isEqualTo(inserted.get() - metrics.evictions());
      assertThat(metrics.evictions()).isPositive();
      cache.remove(GENERATION);
      assertThat(cache.metrics().usedBytes()).isZero();
      assertThat(cache.metrics().entries()).isZero();
    }
  }

  private static void useAndHold(
      ResponseCache cache, SplittableRandom random, long capacity, AtomicLong inserted) {
    record Held(CacheKey key, CacheEntry entry) {}
    var held = new ArrayDeque<Held>();
    for (int i = 0; i < OPERATIONS / THREADS; i++) {
      CacheKey key = key(random.nextInt(1_000));
      Optional<CacheEntry> found = lookUp(cache, key);
      if (found.isPresent()) {
        check(key, found.get());
        held.add(new Held(key, found.get()));
      } else if (insert(cache, key) == Insertion.INSERTED) {
        inserted.incrementAndGet();
      }
      while (held.size() > random.nextInt(16)) {
        Held first = held.remove();
        check(first.key, first.entry);
        first.entry.close();
      }
      assertBounded(cache, capacity);
    }
    for (Held each : held) {
      check(each.key, each.entry);
      each.entry.close();
    }
  }
}
