package io.nereid.server.memory;

/** A pool of off-heap memory. Thread-safe. */
public interface BufferPool extends AutoCloseable {
  /** The alignment of every lease's first byte: a cache line, and the widest vector. */
  long ALIGNMENT = 64;

  /**
   * Leases memory with undefined content, aligned to {@link #ALIGNMENT}.
   *
   * @param byteSize the lease's exact size, 0 or more
   * @throws io.nereid.error.InferenceException UNAVAILABLE if there is no memory left
   */
  Lease lease(long byteSize);

  /** The number of open leases: 0 when no request is in flight. */
  long outstanding();

  /** Bytes that the pool has allocated, leased or free. */
  long heldBytes();

  /** Releases free memory that was not leased since the call before this one. */
  default void trim() {}

  /** Frees all memory that is not leased; leased memory is freed when its lease is closed. */
  @Override
  void close();
}
