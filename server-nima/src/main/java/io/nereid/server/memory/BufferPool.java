package io.nereid.server.memory;

/** Lends off-heap memory. From any thread. */
public interface BufferPool extends AutoCloseable {
  /** The alignment of every lease's first byte: a cache line, and the widest vector. */
  long ALIGNMENT = 64;

  /**
   * Lends memory with undefined content, aligned to {@link #ALIGNMENT}.
   *
   * @param byteSize the lease's exact size, 0 or more
   * @throws io.nereid.error.InferenceException UNAVAILABLE if there is no memory left
   */
  Lease lease(long byteSize);

  /** How many leases are out: 0 when nothing is in flight. */
  long outstanding();

  /** Bytes that the pool has taken from the system, lent or free. */
  long heldBytes();

  /** Frees all memory of the pool, and makes what is still lent unusable. */
  @Override
  void close();
}
