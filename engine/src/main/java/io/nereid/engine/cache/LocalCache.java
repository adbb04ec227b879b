package io.nereid.engine.cache;

import io.nereid.engine.cache.LocalMemory.Block;
import io.nereid.engine.memory.SharedLease;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cache in native memory of a fixed size. To make room it evicts the entries whose last look-up
 * or insertion is the longest ago. The memory of an evicted entry is free once its last reader has
 * closed it, so the cache never uses more than its size.
 *
 * <p>One lock guards the index and the allocation of memory; entries are written and read without
 * it.
 */
final class LocalCache implements ResponseCache {
  private static final System.Logger LOG = System.getLogger(LocalCache.class.getName());

  /** How many entries are removed before other threads get the lock. */
  private static final int SLICE = 64;

  private static final long PAUSE_NANOS = 1_000;

  /** An entry; the index is one of its holders. */
  private record Entry(CacheKey key, MemorySegment data, SharedLease memory) implements CacheEntry {
    @Override
    public void close() {
      memory.release();
    }
  }

  // All of this is guarded by the monitor of this object.

  private final LocalMemory memory;

  /** In the order of use, the longest unused first. */
  private final Map<CacheKey, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  /** The entries of each load that has any, by generation. */
  private final Map<Long, Set<CacheKey>> loads = new HashMap<>();

  /** The keys of entries that are being written. */
  private final Map<CacheKey, Block> pending = new HashMap<>();

  private long hits;
  private long misses;
  private long evictions;

  /**
   * @param byteSize of the memory, at least {@link LocalMemory#ALIGNMENT}; allocated at once
   * @throws io.nereid.error.InferenceException UNAVAILABLE if there is not enough native memory
   */
  LocalCache(long byteSize) {
    memory = new LocalMemory(byteSize);
  }

  @Override
  public synchronized Optional<CacheEntry> lookUp(CacheKey key) {
    Entry entry = entries.get(key);
    if (entry == null) {
      misses++;
      return Optional.empty();
    }
    hits++;
    entry.memory.retain();
    return Optional.of(entry);
  }

  @Override
  public Insertion insert(CacheKey key, long byteSize, Consumer<MemorySegment> content) {
    if (byteSize > memory.capacity()) {
      LOG.log(
          Level.DEBUG,
          "an entry of {0} bytes is larger than the cache of {1}",
          byteSize,
          memory.capacity());
    }
    Block block;
    synchronized (this) {
      if (entries.containsKey(key) || pending.containsKey(key)) {
        return Insertion.ALREADY_EXISTS;
      }
      block = allocate(byteSize);
      if (block == null) {
        return Insertion.NO_ROOM;
      }
      pending.put(key, block);
    }
    MemorySegment data = memory.segment(block, byteSize);
    boolean written = false;
    try {
      content.accept(data);
      written = true;
    } finally {
      publish(key, block, written ? data : null);
    }
    return Insertion.INSERTED;
  }

  /** Allocates a block, after evictions if needed; null if that leaves no room. */
  private @Nullable Block allocate(long byteSize) {
    if (byteSize > memory.capacity()) {
      return null;
    }
    Block block = memory.allocate(byteSize);
    while (block == null && !entries.isEmpty()) {
      drop(entries.values().iterator().next());
      evictions++;
      block = memory.allocate(byteSize);
    }
    return block;
  }

  private void drop(Entry entry) {
    entries.remove(entry.key);
    loads.computeIfPresent(
        entry.key.generation(),
        (_, keys) -> keys.remove(entry.key) && keys.isEmpty() ? null : keys);
    entry.memory.release();
  }

  /**
   * Adds an entry that was written, unless its generation was removed meanwhile.
   *
   * @param data null if it was not written
   */
  private synchronized void publish(CacheKey key, Block block, @Nullable MemorySegment data) {
    boolean wanted = pending.remove(key, block);
    if (wanted && data != null) {
      entries.put(key, new Entry(key, data.asReadOnly(), new SharedLease(() -> free(block))));
      loads.computeIfAbsent(key.generation(), _ -> new LinkedHashSet<>()).add(key);
    } else {
      memory.free(block);
    }
  }

  private synchronized void free(Block block) {
    memory.free(block);
  }

  @Override
  public void remove(long generation) {
    synchronized (this) {
      pending.keySet().removeIf(key -> key.generation() == generation);
    }
    while (removeSome(generation)) {
      LockSupport.parkNanos(PAUSE_NANOS); // threads that wait for the lock get it
    }
  }

  /** Removes some entries of a load; whether there are more. */
  private synchronized boolean removeSome(long generation) {
    Set<CacheKey> keys = loads.getOrDefault(generation, Set.of());
    keys.stream().limit(SLICE).map(entries::get).toList().forEach(this::drop);
    return loads.containsKey(generation);
  }

  @Override
  public synchronized CacheMetrics metrics() {
    return new CacheMetrics(
        entries.size(), memory.usedBytes(), memory.capacity(), hits, misses, evictions);
  }

  @Override
  public synchronized void close() {
    memory.close();
  }
}
