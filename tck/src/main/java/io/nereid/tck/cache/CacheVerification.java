package io.nereid.tck.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.Rule;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests on one response cache. */
public abstract class CacheVerification {
  /** The size of the cache under test, about: it has room for some entries and not for all. */
  protected static final long CACHE_BYTE_SIZE = 64 << 10;

  private static final long GENERATION = 7;
  private static final long OTHER_GENERATION = 8;
  private static final long ENTRY_BYTE_SIZE = 1000;

  private ResponseCache cache;

  /** Opens a cache of about {@link #CACHE_BYTE_SIZE} bytes; the test closes it. */
  protected abstract ResponseCache openCache() throws Exception;

  @BeforeEach
  void open() throws Exception {
    cache = openCache();
  }

  @AfterEach
  void close() {
    cache.close();
  }

  private static CacheKey key(long number) {
    return new CacheKey(GENERATION, number, ~number);
  }

  private Insertion insert(CacheKey key, long byteSize) {
    return cache.insert(key, byteSize, data -> fill(data, key, byteSize));
  }

  /** Fills an entry's memory with content that no other key has. */
  private static void fill(MemorySegment data, CacheKey key, long byteSize) {
    assertThat(data.byteSize()).isEqualTo(byteSize);
    assertThat(data.address() % 64).isZero();
    for (long i = 0; i < byteSize; i++) {
      data.set(Elements.BYTE, i, content(key, i));
    }
  }

  private static byte content(CacheKey key, long index) {
    return (byte) (key.generation() * 31 + key.high() * 17 + index * 13 + (index >> 8));
  }

  private static void assertContent(CacheKey key, MemorySegment data) {
    for (long i = 0; i < data.byteSize(); i++) {
      if (data.get(Elements.BYTE, i) != content(key, i)) {
        throw new AssertionError("%s has the content of another entry at %d".formatted(key, i));
      }
    }
  }

  private boolean has(CacheKey key) {
    var found = cache.lookUp(key);
    found.ifPresent(CacheEntry::close);
    return found.isPresent();
  }

  @Rule("CACHE-SPI-01")
  void findsTheBytesThatWereInserted() {
    assertThat(has(key(1))).isFalse();

    assertThat(insert(key(1), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);

    try (CacheEntry entry = cache.lookUp(key(1)).orElseThrow()) {
      assertThat(entry.data().byteSize()).isEqualTo(ENTRY_BYTE_SIZE);
      assertThat(entry.data().address() % 64).isZero();
      assertContent(key(1), entry.data());
    }
  }

  @Rule("CACHE-SPI-01")
  void comparesEveryPartOfAKey() {
    assertThat(insert(key(1), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);

    assertThat(has(new CacheKey(OTHER_GENERATION, 1, ~1))).isFalse();
    assertThat(has(new CacheKey(GENERATION, 2, ~1))).isFalse();
    assertThat(has(new CacheKey(GENERATION, 1, ~2))).isFalse();
    assertThat(has(key(1))).isTrue();
  }

  @Rule("CACHE-SPI-02")
  void keepsTheEntryOfAKeyThatItHas() {
    assertThat(insert(key(1), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);
    var written = new AtomicInteger();

    Insertion second = cache.insert(key(1), 5, _ -> written.incrementAndGet());

    assertThat(second).isEqualTo(Insertion.ALREADY_EXISTS);
    assertThat(written).hasValue(0);
    try (CacheEntry entry = cache.lookUp(key(1)).orElseThrow()) {
      assertContent(key(1), entry.data());
    }
  }

  @Rule("CACHE-SPI-03")
  void leavesAnEntryReadableThatItEvictsOrRemoves() {
    assertThat(insert(key(0), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);
    try (CacheEntry held = cache.lookUp(key(0)).orElseThrow()) {
      for (long i = 1; i <= 4 * CACHE_BYTE_SIZE / ENTRY_BYTE_SIZE; i++) {
        insert(key(i), ENTRY_BYTE_SIZE);
      }
      cache.remove(GENERATION);
      for (long i = 0; i <= 4 * CACHE_BYTE_SIZE / ENTRY_BYTE_SIZE; i++) {
        var other = new CacheKey(OTHER_GENERATION, i, i);
        insert(other, ENTRY_BYTE_SIZE);
      }

      assertContent(key(0), held.data());
    }
  }

  @Rule("CACHE-SPI-04")
  void insertsNothingIfTheContentCannotBeWritten() {
    var failure = new IllegalStateException("as it was told");

    assertThatThrownBy(() ->
            cache.insert(
                key(1),
                ENTRY_BYTE_SIZE,
                _ -> {
                  throw failure;
                }))
        .isSameAs(failure);

    assertThat(has(key(1))).isFalse();
    assertThat(insert(key(1), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);
  }

  @Rule("CACHE-SPI-05")
  void rejectsAnEntryThatIsLargerThanTheCache() {
    assertThat(insert(key(1), ENTRY_BYTE_SIZE)).isEqualTo(Insertion.INSERTED);
    long capacity = cache.metrics().capacityBytes();
    if (capacity > 0) {
      assertThat(insert(key(2), capacity + 1)).isEqualTo(Insertion.NO_ROOM);
      assertThat(has(key(2))).isFalse();
      assertThat(has(key(1))).isTrue();
    }
  }

  @Rule("CACHE-SPI-06")
  void removesTheEntriesOfALoadAndNoOthers() {
    var other = new CacheKey(OTHER_GENERATION, 1, ~1);
    insert(key(1), ENTRY_BYTE_SIZE);
    insert(key(2), ENTRY_BYTE_SIZE);
    insert(other, ENTRY_BYTE_SIZE);

    cache.remove(GENERATION);

    assertThat(has(key(1))).isFalse();
    assertThat(has(key(2))).isFalse();
    assertThat(has(other)).isTrue();
    assertThat(cache.metrics().entries()).isEqualTo(1);
  }

  @Rule("CACHE-SPI-07")
  void countsLookUpsEntriesAndBytes() {
    has(key(1));
    insert(key(1), ENTRY_BYTE_SIZE);
    has(key(1));
    has(key(1));

    CacheMetrics metrics = cache.metrics();
    assertThat(metrics.misses()).isEqualTo(1);
    assertThat(metrics.hits()).isEqualTo(2);
    assertThat(metrics.entries()).isEqualTo(1);
    assertThat(metrics.usedBytes()).isGreaterThanOrEqualTo(ENTRY_BYTE_SIZE);
    assertThat(metrics.evictions()).isZero();
    cache.remove(GENERATION);
    assertThat(cache.metrics().usedBytes()).isZero();
  }

  @Rule("CACHE-SPI-08")
  void neverMixesEntriesUpUnderManyThreads() throws Exception {
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int seed = 0; seed < 4; seed++) {
      var random = new SplittableRandom(seed);
      tasks.add(() -> useAtRandom(random));
    }
    int hits = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      for (Future<Integer> task : threads.invokeAll(tasks)) {
        hits += task.get();
      }
    }

    assertThat(hits).isPositive();
    CacheMetrics metrics = cache.metrics();
    if (metrics.capacityBytes() > 0) {
      assertThat(metrics.usedBytes()).isBetween(1L, metrics.capacityBytes());
    }
  }

  private int useAtRandom(SplittableRandom random) {
    int hits = 0;
    for (int i = 0; i < 5_000; i++) {
      CacheKey key = key(random.nextInt(200));
      var found = cache.lookUp(key);
      if (found.isPresent()) {
        hits++;
        try (CacheEntry entry = found.get()) {
          assertContent(key, entry.data());
        }
      } else {
        insert(key, random.nextLong(1, 2 * ENTRY_BYTE_SIZE));
      }
    }
    return hits;
  }
}
