package io.nereid.tensorrt.execution;

import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A buffer in device memory that is replaced by a larger one when it is too small. */
final class GrowingBuffer {
  private static final long GRANULARITY = 512;
  private static final long CUDA_ALIGNMENT = 256; // of what CUDA allocates, at least

  private final DeviceMemoryPool pool;
  private final AtomicLong usage;
  private @Nullable DeviceBuffer buffer;
  private long start; // of the content

  /**
   * @param usage the bytes that the instance has allocated
   */
  GrowingBuffer(DeviceMemoryPool pool, AtomicLong usage) {
    this.pool = pool;
    this.usage = usage;
  }

  /**
   * A buffer of at least {@code byteSize} bytes. If it is a new one, the content is lost; no work
   * with the old one may be pending.
   *
   * @param stream on which the buffer is used first
   */
  DeviceBuffer require(long byteSize, CudaStream stream) {
    start = 0;
    DeviceBuffer present = buffer;
    if (present != null && present.byteSize() >= byteSize) {
      return present;
    }
    long grown = present == null ? 0 : present.byteSize() + present.byteSize() / 2;
    free(stream);
    long capacity = Math.ceilDiv(Math.max(Math.max(byteSize, grown), 1), GRANULARITY) * GRANULARITY;
    DeviceBuffer larger = pool.allocate(capacity, stream);
    buffer = larger;
    usage.addAndGet(capacity);
    return larger;
  }

  /**
   * As {@link #require(long, CudaStream)}, with the content at an aligned address.
   *
   * @param alignment a power of two
   * @return the address of the content
   */
  MemorySegment require(long byteSize, long alignment, CudaStream stream) {
    long room = Math.max(0, alignment - CUDA_ALIGNMENT);
    long address = require(Math.addExact(byteSize, room), stream).address().address();
    start = -address & (alignment - 1);
    return MemorySegment.ofAddress(address + start);
  }

  /** Enqueues a copy of the content into memory of the host. */
  void copyToHost(MemorySegment target, long byteSize, CudaStream stream) {
    stream.copyToHost(target, get(), start, byteSize);
  }

  /** The buffer that was required last. */
  DeviceBuffer get() {
    DeviceBuffer present = buffer;
    if (present == null) {
      throw new IllegalStateException("no buffer was required");
    }
    return present;
  }

  /** Frees the buffer, if there is one, once the stream has executed what is enqueued now. */
  void free(CudaStream stream) {
    DeviceBuffer present = buffer;
    if (present != null) {
      buffer = null;
      usage.addAndGet(-present.byteSize());
      present.free(stream);
    }
  }
}
