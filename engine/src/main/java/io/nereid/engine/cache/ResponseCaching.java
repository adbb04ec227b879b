package io.nereid.engine.cache;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.telemetry.statistics.CacheStatistics;
import io.nereid.spi.cache.CacheEntry;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheMetrics;
import io.nereid.spi.cache.Insertion;
import io.nereid.spi.cache.ResponseCache;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The response cache of the server, which all models share: it measures the calls of the {@link
 * ResponseCache}, and lets none of its failures pass. Each load of a model version uses it through
 * a {@link ModelCaching}. Thread-safe.
 */
public final class ResponseCaching implements AutoCloseable {
  private final ResponseCache cache;
  private final long capacityBytes;
  private final BufferPool pool;
  private final LongSupplier clock;
  private final RequestHash hash;
  private final CacheFailures failures;

  /** Begins at random, so that a cache that outlives the server never mixes up its loads. */
  private final AtomicLong generation;

  private final LongAdder lookUpNanos = new LongAdder();
  private final LongAdder insertionNanos = new LongAdder();

  /**
   * @param cache closed with this object
   * @param pool memory for the inputs of requests whose responses will be inserted
   * @param clock nanoseconds; the clock of arrival times
   */
  public ResponseCaching(ResponseCache cache, BufferPool pool, LongSupplier clock) {
    var random = new SecureRandom();
    this.cache = cache;
    this.capacityBytes = cache.metrics().capacityBytes();
    this.pool = pool;
    this.clock = clock;
    this.hash = new RequestHash(random);
    this.failures = new CacheFailures(clock);
    this.generation = new AtomicLong(random.nextLong());
  }

  /**
   * The use of the cache by one load of a model version.
   *
   * @param statistics of that load
   */
  public ModelCaching ofModel(CacheStatistics statistics) {
    return new ModelCaching(this, generation.getAndIncrement(), statistics);
  }

  BufferPool pool() {
    return pool;
  }

  RequestHash hash() {
    return hash;
  }

  long now() {
    return clock.getAsLong();
  }

  /** Whether an entry of that size may fit. */
  boolean hasRoomFor(long byteSize) {
    return capacityBytes == 0 || byteSize <= capacityBytes;
  }

  /** The entry of that key; empty if there is none, or the cache fails. */
  Optional<CacheEntry> lookUp(CacheKey key) {
    long start = now();
    try {
      return cache.lookUp(key);
    } catch (Throwable failure) {
      failures.log("a response was not looked up", failure);
      return Optional.empty();
    } finally {
      lookUpNanos.add(now() - start);
    }
  }

  /** Inserts a response; a failure counts as {@link Insertion#NO_ROOM}. */
  Insertion insert(CacheKey key, CachedResponse response) {
    long start = now();
    try {
      Insertion insertion = cache.insert(key, response.byteSize(), response::write);
      if (insertion == Insertion.NO_ROOM) {
        hasNoRoom(key);
      }
      return insertion;
    } catch (Throwable failure) {
      failures.log("a response was not inserted", failure);
      return Insertion.NO_ROOM;
    } finally {
      insertionNanos.add(now() - start);
    }
  }

  /** Logs, with the words of Triton's log, that a response does not fit. */
  void hasNoRoom(CacheKey key) {
    failures.log("Failed to insert key %s, as it has no room for it".formatted(key), null);
  }

  void remove(long ended) {
    try {
      cache.remove(ended);
    } catch (Throwable failure) {
      failures.log("the entries of a model were not removed", failure);
    }
  }

  /** Logs a failure of what surrounds the calls of the cache. */
  void failed(String what, Throwable failure) {
    failures.log(what, failure);
  }

  /** What the cache holds and has done. */
  public CacheMetrics metrics() {
    return cache.metrics();
  }

  /** The duration of all look-ups. */
  public long lookUpMicros() {
    return TimeUnit.NANOSECONDS.toMicros(lookUpNanos.sum());
  }

  /** The duration of all insertions. */
  public long insertionMicros() {
    return TimeUnit.NANOSECONDS.toMicros(insertionNanos.sum());
  }

  /** Closes the cache; called when no request is in flight. */
  @Override
  public void close() {
    cache.close();
  }
}
