package io.nereid.spi.cache;

import java.lang.foreign.MemorySegment;

/**
 * An entry that was looked up. Its memory stays valid and unchanged until the holder closes it,
 * also if the cache evicts the entry meanwhile. A holder may read it on any thread.
 */
public interface CacheEntry extends AutoCloseable {
  /**
   * The bytes that were inserted.
   *
   * @return native memory, aligned to 64 bytes, accessible from every thread
   */
  MemorySegment data();

  /** Releases the memory. Called once, by any thread; never throws. */
  @Override
  void close();
}
