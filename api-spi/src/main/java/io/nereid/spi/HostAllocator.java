package io.nereid.spi;

import java.lang.foreign.MemorySegment;

/**
 * A source of host memory, called rarely: the server asks for slabs of a megabyte or more and lends
 * parts of them. Called from any thread.
 */
public interface HostAllocator {
  /**
   * Allocates memory that lives until {@link #free}.
   *
   * @return a segment of {@code byteSize} bytes, aligned to 64, accessible from every thread
   * @throws io.nereid.error.InferenceException UNAVAILABLE if there is none left
   */
  MemorySegment allocate(long byteSize);

  /** Frees what {@link #allocate} returned, the same segment. */
  void free(MemorySegment segment);
}
