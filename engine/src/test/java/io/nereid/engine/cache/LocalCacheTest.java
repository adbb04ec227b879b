package io.nereid.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.cache.CacheVerification;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalCacheTest {
  private static final long BLOCK = LocalMemory.ALIGNMENT;
  private static final CacheKey A = key(1);
  private static final CacheKey B = key(2);
  private static final CacheKey C = key(3);
  private static final CacheKey D = key(4);

  /** The contract of every cache. */
  @Nested
  class Contract extends CacheVerification {
    @Override
    protected ResponseCache openCache() {
      return open(Map.of("size", Long.toString(CACHE_BYTE_SIZE)));
    }
  }

  private static CacheKey key(long number) {
    return new CacheKey(1, number, number);
  }

  private static ResponseCache open(Map<String, String> options) {
    return new LocalCacheProvider().open(new CacheSettings(options));
  }

  private static Insertion insert(ResponseCache cache, CacheKey key, long byteSize) {
    return cache.insert(key, byteSize, data -> data.fill((byte) key.low()));
  }

  private static boolean has(ResponseCache cache, CacheKey key) {
    var found = cache.lookUp(key);
    found.ifPresent(CacheEntry::close);
    return found.isPresent();
  }

  @Test
  void evictsTheEntryThatWasUnusedForLongest() {
    try (var cache = new LocalCache(2 * BLOCK)) {
      insert(cache, A, BLOCK);
      insert(cache, B, BLOCK);
      assertThat(has(cache, A)).isTrue();

      assertThat(insert(cache, C, BLOCK)).isEqualTo(Insertion.INSERTED);

      assertThat(has(cache, B)).isFalse();
      assertThat(has(cache, A)).isTrue();
      assertThat(has(cache, C)).isTrue();
      assertThat(cache.metrics().evictions()).isEqualTo(1);
    }
  }

  @Test
  void evictsAsManyAsALargerEntryNeeds() {
    try (var cache = new LocalCache(3 * BLOCK)) {
      insert(cache, A, BLOCK);
      insert(cache, B, BLOCK);
      insert(cache, C, BLOCK);

      assertThat(insert(cache, D, BLOCK + 1)).isEqualTo(Insertion.INSERTED);

      assertThat(has(cache, A)).isFalse();
      assertThat(has(cache, B)).isFalse();
      assertThat(has(cache, C)).isTrue();
      assertThat(has(cache, D)).isTrue();
      assertThat(cache.metrics().usedBytes()).isEqualTo(3 * BLOCK);
    }
  }

  @Test
  void evictsNothingForAnEntryLargerThanTheCache() {
    try (var cache = new LocalCache(2 * BLOCK)) {
      insert(cache, A, BLOCK);

      assertThat(insert(cache, B, 2 * BLOCK + 1)).isEqualTo(Insertion.NO_ROOM);

      assertThat(has(cache, A)).isTrue();
    }
  }

  @Test
  void doesNotReuseTheMemoryOfAnEvictedEntryThatIsRead() {
    try (var cache = new LocalCache(2 * BLOCK)) {
      insert(cache, A, BLOCK);
      insert(cache, B, BLOCK);
      CacheEntry first = cache.lookUp(A).orElseThrow();
      CacheEntry second = cache.lookUp(B).orElseThrow();

      assertThat(insert(cache, C, BLOCK)).isEqualTo(Insertion.NO_ROOM);
      assertThat(cache.metrics().entries()).isZero();
      assertThat(cache.metrics().usedBytes()).isEqualTo(2 * BLOCK);
      first.close();

      assertThat(insert(cache, C, BLOCK)).isEqualTo(Insertion.INSERTED);
      assertThat(second.data().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 2);
      second.close();
      assertThat(cache.metrics().usedBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void mergesFreeMemoryThatIsAdjacent() {
    try (var cache = new LocalCache(3 * BLOCK)) {
      insert(cache, A, 1);
      insert(cache, B, BLOCK);
      insert(cache, C, BLOCK);
      cache.remove(1);

      assertThat(insert(cache, D, 3 * BLOCK)).isEqualTo(Insertion.INSERTED);
    }
  }

  @Test
  void discardsAnEntryWhoseLoadEndsWhileItIsWritten() {
    try (var cache = new LocalCache(BLOCK)) {
      Insertion insertion = cache.insert(A, BLOCK, _ -> cache.remove(A.generation()));

      assertThat(insertion).isEqualTo(Insertion.INSERTED);
      assertThat(has(cache, A)).isFalse();
      assertThat(cache.metrics().usedBytes()).isZero();
    }
  }

  @Test
  void doesNotWriteAnEntryThatIsBeingWritten() {
    try (var cache = new LocalCache(2 * BLOCK)) {
      insert(cache, B, BLOCK);
      cache.insert(
          A,
          BLOCK,
          data -> {
            data.fill((byte) 1);
            assertThat(insert(cache, A, BLOCK)).isEqualTo(Insertion.ALREADY_EXISTS);
            assertThat(has(cache, A)).isFalse();
          });

      assertThat(has(cache, A)).isTrue();
      assertThat(cache.metrics().evictions()).isZero();
    }
  }

  @Test
  void cannotBeOpenedWithoutASize() {
    assertThatThrownBy(() -> open(Map.of()))
        .isInstanceOf(InferenceException.class)
        .hasMessage("Failed to initialize LocalCache: config didn't contain a valid 'size' field.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "12 kB", "-1", "0", "63", "99999999999999999999"})
  void cannotBeOpenedWithASizeThatIsNone(String size) {
    assertThatThrownBy(() -> open(Map.of("size", size)))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "Failed to initialize LocalCache: 'size' must be a number of bytes, at least 64; got '"
                + size
                + "'");
  }

  @Test
  void cannotBeOpenedIfThereIsNotEnoughMemory() {
    assertThatThrownBy(() -> open(Map.of("size", Long.toString(Long.MAX_VALUE / 2))))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("no native memory for a response cache of ");
  }
}
