package io.nereid.server.memory;

import java.lang.foreign.MemorySegment;

/** Memory on loan, owned by its holder, who closes it exactly once or passes it on. */
public interface Lease extends AutoCloseable {
  /** The memory, of exactly the size asked for; not to be touched after {@link #close}. */
  MemorySegment segment();

  /**
   * Gives the memory back. From any thread.
   *
   * @throws IllegalStateException if it was given back before
   */
  @Override
  void close();
}
