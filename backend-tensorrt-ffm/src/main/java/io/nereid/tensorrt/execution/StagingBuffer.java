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

  /**
   * Begins a batch, for which at most {@code byteSize} bytes are gathered. The copies of the batch
   * before are done.
   */
  void begin(long byteSize) {
    used = 0;
    if (memory.byteSize() < byteSize) {
      close();
      memory = allocator.allocate(Math.max(byteSize, 4096));
    }
  }

  /** Copies a piece behind what has been gathered. */
  void gather(MemorySegment piece) {
    MemorySegment.copy(piece, 0, memory, used, piece.byteSize());
    used += piece.byteSize();
  }

  /** Adds zeros behind what has been gathered. */
  void zeros(long byteSize) {
    memory.asSlice(used, byteSize).fill((byte) 0);
    used += byteSize;
  }

  /** The last {@code byteSize} bytes that have been gathered. */
  MemorySegment last(long byteSize) {
    return memory.asSlice(used - byteSize, byteSize);
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
