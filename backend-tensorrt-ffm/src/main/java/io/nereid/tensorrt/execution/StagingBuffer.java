package io.nereid.tensorrt.execution;

import io.nereid.tensorrt.cuda.PinnedMemory;
import java.lang.foreign.MemorySegment;

/**
 * Page-locked memory in which the inputs of a batch are gathered before they are copied to the
 * device. It grows to the largest batch.
 */
final class StagingBuffer {
  private final PinnedMemory allocator;
  private MemorySegment memory = MemorySegment.NULL;
  private long used;

  StagingBuffer(PinnedMemory allocator) {
    this.allocator = allocator;
  }

  /** Begins a batch, whose copies of the batch before are done. */
  void begin(long byteSize) {
    used = 0;
    if (memory.byteSize() < byteSize) {
      close();
      memory = allocator.allocate(Math.max(byteSize, 4096));
    }
  }

  /** All of the memory; what is gathered next begins at {@link #position}. */
  MemorySegment memory() {
    return memory;
  }

  long position() {
    return used;
  }

  void advance(long byteSize) {
    used += byteSize;
  }

  /** Frees the memory; no copy may be pending. */
  void close() {
    MemorySegment present = memory;
    if (present.byteSize() > 0) {
      memory = MemorySegment.NULL;
      allocator.free(present);
    }
  }
}
