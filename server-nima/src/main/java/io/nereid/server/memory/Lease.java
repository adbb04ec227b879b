package io.nereid.server.memory;

import java.lang.foreign.MemorySegment;

/** Memory of a pool. Its holder owns it, and closes it exactly once or passes it on. */
public interface Lease extends AutoCloseable {
  /** The memory, of exactly the requested size. Not to be accessed after {@link #close}. */
  MemorySegment segment();

  /**
   * Returns the memory to its pool. From any thread.
   *
   * @throws IllegalStateException if it is closed already
   */
  @Override
  void close();
}
