package io.nereid.spi.cache;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An open response cache: entries of bytes by key. A server has one, which all models share. It
 * decides which entries to evict and when; an entry that was inserted may be gone at any time.
 *
 * <p>Any thread calls any method at any time, also threads that must not block for long: those of
 * connections look up, and those of instances insert. Between two calls with equal keys the content
 * of an entry never changes.
 */
public interface ResponseCache extends AutoCloseable {
  /**
   * Looks an entry up. Counts as its use.
   *
   * @return the entry, which the caller closes; empty if there is none
   * @throws InferenceException if the cache cannot be read; counts as a miss
   */
  Optional<CacheEntry> lookUp(CacheKey key);

  /**
   * Inserts an entry unless there is one with that key. Counts as its use.
   *
   * @param byteSize the size of the entry, above 0
   * @param content fills the memory that it is given: native, of {@code byteSize} bytes, aligned to
   *     64 bytes. It runs at most once, on the calling thread, before this method returns, and
   *     never under a lock of the cache. If it throws, nothing is inserted and this method throws
   *     the same
   * @throws InferenceException if the cache cannot be written; nothing is inserted
   */
  Insertion insert(CacheKey key, long byteSize, Consumer<MemorySegment> content);

  /**
   * Removes the entries of a load that has ended. A look-up with such a key never follows; an
   * insertion may, of a response that was on its way, and is then followed by another call of this
   * method.
   */
  void remove(long generation);

  /** The metrics now. */
  CacheMetrics metrics();

  /**
   * Frees the cache's resources. Called once, when all entries are closed and no method runs; never
   * throws.
   */
  @Override
  void close();
}
