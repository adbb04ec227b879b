package io.nereid.engine.memory;

/** Where leases come from: a pool, or what a client may have of it. Thread-safe. */
@FunctionalInterface
public interface LeaseSource {
  /** What is leased before a byte of a body has come, if the source has no better number. */
  long LEAST_AHEAD = 64 << 10;

  /**
   * Leases memory with undefined content, aligned to {@link BufferPool#ALIGNMENT}.
   *
   * @param byteSize the lease's exact size, 0 or more
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED if there is no memory left now
   */
  Lease lease(long byteSize);

  /** The most that can ever be leased at a time. A larger lease fails however long one waits. */
  default long maxByteSize() {
    return Long.MAX_VALUE;
  }

  /** The most bytes to lease now for bytes that have not come, {@link #LEAST_AHEAD} or more. */
  default long ahead() {
    return LEAST_AHEAD;
  }
}
