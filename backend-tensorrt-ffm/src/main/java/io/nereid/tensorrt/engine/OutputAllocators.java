package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.IOutputAllocator_notifyShape;
import io.nereid.tensorrt.bindings.nvinfer.IOutputAllocator_reallocateOutput;
import io.nereid.tensorrt.bindings.nvinfer.IOutputAllocator_reallocateOutputAsync;
import io.nereid.tensorrt.bindings.nvinfer.trt_IOutputAllocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The {@code nvinfer1::IOutputAllocator}s of one execution context: an object for each tensor, all
 * with the same table, so that there is one set of upcalls. Which tensor an upcall is for follows
 * from the address of its object.
 *
 * <p>Used by one thread at a time, that of the context: TensorRT calls during the enqueue.
 */
final class OutputAllocators {
  private static final long WORD = ValueLayout.ADDRESS.byteSize();

  private final MemorySegment objects;
  private final @Nullable OutputAllocator[] allocators;
  private final Dims[] shapes;
  private final boolean[] notified;
  private @Nullable Throwable failure;

  /**
   * @param arena closed after the context
   */
  OutputAllocators(int tensors, Arena arena) {
    MemorySegment table = trt_IOutputAllocator.allocate(arena);
    UpcallTable.describe(table, "IOutputAllocator", arena);
    trt_IOutputAllocator.reallocateOutput(
        table, IOutputAllocator_reallocateOutput.allocate(this::reallocate, arena));
    trt_IOutputAllocator.reallocateOutputAsync(
        table, IOutputAllocator_reallocateOutputAsync.allocate(this::reallocateAsync, arena));
    trt_IOutputAllocator.notifyShape(
        table, IOutputAllocator_notifyShape.allocate(this::notifyShape, arena));
    objects = arena.allocate(ValueLayout.ADDRESS, tensors);
    allocators = new OutputAllocator[tensors];
    shapes = new Dims[tensors];
    notified = new boolean[tensors];
    for (int i = 0; i < tensors; i++) {
      objects.setAtIndex(ValueLayout.ADDRESS, i, table);
      shapes[i] = new Dims(arena);
    }
  }

  /** Sets the allocator of a tensor and returns its native object. */
  MemorySegment set(int tensor, OutputAllocator allocator) {
    allocators[tensor] = allocator;
    return objects.asSlice(tensor * WORD, WORD);
  }

  void unset(int tensor) {
    allocators[tensor] = null;
    notified[tensor] = false;
  }

  /** Forgets what the last enqueue has reported. */
  void reset() {
    Arrays.fill(notified, false);
    failure = null;
  }

  /** The shape that the last enqueue has reported; null if it has reported none. */
  @Nullable Dims shape(int tensor) {
    return notified[tensor] ? shapes[tensor] : null;
  }

  /** What a callback of the last enqueue has thrown. */
  @Nullable Throwable failure() {
    return failure;
  }

  private int tensor(MemorySegment self) {
    return (int) ((self.address() - objects.address()) / WORD);
  }

  private MemorySegment reallocate(
      MemorySegment self, MemorySegment name, MemorySegment current, long size, long alignment) {
    return allocate(self, size, alignment);
  }

  private MemorySegment reallocateAsync(
      MemorySegment self,
      MemorySegment name,
      MemorySegment current,
      long size,
      long alignment,
      MemorySegment stream) {
    return allocate(self, size, alignment);
  }

  /** An upcall: an exception that left it would end the process. */
  private MemorySegment allocate(MemorySegment self, long size, long alignment) {
    try {
      int tensor = tensor(self);
      OutputAllocator allocator = allocators[tensor];
      return allocator == null ? MemorySegment.NULL : allocator.allocate(tensor, size, alignment);
    } catch (Throwable thrown) {
      failure = thrown; // of whatever kind: it becomes the cause of the enqueue's failure
      return MemorySegment.NULL;
    }
  }

  /** An upcall: an exception that left it would end the process. */
  private void notifyShape(MemorySegment self, MemorySegment name, MemorySegment dims) {
    try {
      int tensor = tensor(self);
      shapes[tensor].copyFrom(dims);
      notified[tensor] = true;
    } catch (Throwable thrown) {
      failure = thrown;
    }
  }
}
