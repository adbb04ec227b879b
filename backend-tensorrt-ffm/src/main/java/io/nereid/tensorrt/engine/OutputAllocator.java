package io.nereid.tensorrt.engine;

import java.lang.foreign.MemorySegment;

/**
 * Allocates the memory of an output whose dimensions depend on data, once they are known. {@link
 * ExecutionContext#enqueue} calls it, on its own thread.
 */
@FunctionalInterface
public interface OutputAllocator {
  /**
   * Returns memory for an output, which is in use until the stream has executed the inference. An
   * exception makes the enqueue fail, with it as the cause.
   *
   * @param tensor index of the output
   * @param byteSize the size that is needed, at least 1
   * @param alignment of the address, in bytes
   * @return a device address; {@link MemorySegment#NULL} if there is not enough memory
   */
  MemorySegment allocate(int tensor, long byteSize, long alignment);
}
