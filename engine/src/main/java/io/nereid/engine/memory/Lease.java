package io.nereid.engine.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** Memory of a pool. Its holder owns it, and closes it exactly once or passes it on. */
public interface Lease extends AutoCloseable {
  /** The memory, of exactly the requested size. Not to be accessed after {@link #close}. */
  MemorySegment segment();

  /**
   * Counts further bytes with this lease, until it is closed: memory of a library that holds a copy
   * of the content.
   *
   * @return false if this lease is not counted
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED if there is no memory left now
   */
  default boolean countMore(long byteSize) {
    return false;
  }

  /** Closes all of them, also if one cannot be closed; then throws a failure. */
  static void closeAll(List<? extends Lease> leases) {
    RuntimeException failure = null;
    Error error = null;
    for (int i = 0; i < leases.size(); i++) {
      try {
        leases.get(i).close();
      } catch (RuntimeException thrown) {
        failure = thrown;
      } catch (Error thrown) { // no memory, or no stack: the others are released
        error = thrown;
      }
    }
    if (error != null) {
      throw error;
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Returns the memory to its pool. From any thread.
   *
   * @throws IllegalStateException if it is closed already
   */
  @Override
  void close();
}
