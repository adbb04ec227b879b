package io.nereid.spi;

import java.lang.foreign.MemorySegment;

/**
 * An allocator of host memory. The server allocates slabs of a megabyte or more and leases parts of
 * them, so calls are rare. Any thread may call it.
 */
public interface HostAllocator {
  /**
   * Allocates memory that is valid until {@link #free}.
   *
   * @return a segment of {@code byteSize} bytes, aligned to 64, accessible from every thread
   * @throws io.nereid.error.InferenceException RESOURCE_EXHAUSTED if there is not enough memory
   */
  MemorySegment allocate(long byteSize);

  /**
   * Frees a segment that {@link #allocate} returned. Called even after the model is closed, if a
   * request was read into that memory and was not executed.
   */
  void free(MemorySegment segment);
}
