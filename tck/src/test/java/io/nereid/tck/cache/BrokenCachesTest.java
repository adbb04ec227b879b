package io.nereid.tck.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import io.nereid.tck.support.Launched;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokenCachesTest {
  private static final ScopedValue<Defect> DEFECT = ScopedValue.newInstance();

  /** A defect of a {@link PlainCache}. */
  enum Defect {
    NONE,
    IGNORES_GENERATIONS,
    REPLACES_ENTRIES,
    OVERWRITES_WHAT_IS_READ,
    KEEPS_WHAT_WAS_NOT_WRITTEN,
    REMOVES_EVERYTHING,
    COUNTS_NO_MISSES
  }

  static final class Verified extends CacheVerification {
    @Override
    protected ResponseCache openCache() {
      return new PlainCache(DEFECT.orElse(Defect.NONE));
    }
  }

  private static Launched run(Defect defect) {
    return ScopedValue.where(DEFECT, defect).call(() -> Launched.run(Verified.class));
  }

  @Test
  void aRightCachePasses() {
    Launched launched = run(Defect.NONE);

    assertThat(launched.failures()).isEmpty();
    assertThat(launched.passed()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "IGNORES_GENERATIONS, comparesEveryPartOfAKey",
    "REPLACES_ENTRIES, keepsTheEntryOfAKeyThatItHas",
    "OVERWRITES_WHAT_IS_READ, leavesAnEntryReadableThatItEvictsOrRemoves",
    "KEEPS_WHAT_WAS_NOT_WRITTEN, insertsNothingIfTheContentCannotBeWritten",
    "REMOVES_EVERYTHING, removesTheEntriesOfALoadAndNoOthers",
    "COUNTS_NO_MISSES, countsLookUpsEntriesAndBytes"
  })
  void catches(Defect defect, String test) {
    assertThat(run(defect).failed()).contains(test);
  }

  /** A cache without a limit, under one lock. */
  private static final class PlainCache implements ResponseCache {
    private record Entry(MemorySegment data) implements CacheEntry {
      @Override
      public void close() {}
    }

    private final Defect defect;
    private final Map<CacheKey, Entry> entries = new HashMap<>();
    private long usedBytes;
    private long hits;
    private long misses;

    PlainCache(Defect defect) {
      this.defect = defect;
    }

    private CacheKey known(CacheKey key) {
      return defect == Defect.IGNORES_GENERATIONS ? new CacheKey(0, key.high(), key.low()) : key;
    }

    @Override
    public synchronized Optional<CacheEntry> lookUp(CacheKey key) {
      Entry found = entries.get(known(key));
      if (found != null) {
        hits++;
      } else if (defect != Defect.COUNTS_NO_MISSES) {
        misses++;
      }
      return Optional.ofNullable(found);
    }

    @Override
    public synchronized Insertion insert(
        CacheKey key, long byteSize, Consumer<MemorySegment> content) {
      if (entries.containsKey(known(key)) && defect != Defect.REPLACES_ENTRIES) {
        return Insertion.ALREADY_EXISTS;
      }
      var data = Arena.ofAuto().allocate(byteSize, 64);
      if (defect == Defect.KEEPS_WHAT_WAS_NOT_WRITTEN) {
        entries.put(known(key), new Entry(data));
      }
      content.accept(data);
      entries.put(known(key), new Entry(data));
      usedBytes += byteSize;
      return Insertion.INSERTED;
    }

    @Override
    public synchronized void remove(long generation) {
      if (defect == Defect.OVERWRITES_WHAT_IS_READ) {
        entries.values().forEach(entry -> entry.data().fill((byte) 0));
      }
      entries
          .entrySet()
          .removeIf(entry -> {
            boolean removed =
                defect == Defect.REMOVES_EVERYTHING || entry.getKey().generation() == generation;
            usedBytes -= removed ? entry.getValue().data().byteSize() : 0;
            return removed;
          });
    }

    @Override
    public synchronized CacheMetrics metrics() {
      return new CacheMetrics(entries.size(), usedBytes, 0, hits, misses, 0);
    }

    @Override
    public void close() {}
  }
}
