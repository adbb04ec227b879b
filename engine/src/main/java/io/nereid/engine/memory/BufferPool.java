package io.nereid.engine.memory;

/** A pool of off-heap memory. Thread-safe. */
public interface BufferPool extends LeaseSource, AutoCloseable {
  /** The alignment of every lease's first byte: a cache line, and the widest vector. */
  long ALIGNMENT = 64;

  /** The number of open leases: 0 when no request is in flight. */
  long outstanding();

  /** Bytes that the pool has allocated, leased or free. */
  long heldBytes();

  /** Bytes of {@link #heldBytes} that no lease has. */
  default long freeBytes() {
    return 0;
  }

  /** How many leases failed because there was no memory left. */
  default long refusedLeases() {
    return 0;
  }

  /** Releases free memory that was not leased since the call before this one. */
  default void trim() {}

  /** Frees all memory that is not leased; leased memory is freed when its lease is closed. */
  @Override
  void close();
}
