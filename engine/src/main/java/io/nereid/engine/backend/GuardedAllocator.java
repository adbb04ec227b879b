package io.nereid.engine.backend;

import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.foreign.MemorySegment;

/** An allocator of a model as the server calls it: its memory is as large as was asked for. */
record GuardedAllocator(String model, HostAllocator allocator, BackendCalls calls)
    implements HostAllocator {
  @Override
  public MemorySegment allocate(long byteSize) {
    MemorySegment memory =
        calls.call(model, "HostAllocator.allocate", () -> allocator.allocate(byteSize));
    if (memory.byteSize() != byteSize) {
      free(memory);
      throw InferenceException.internal(
          "%s has returned %d bytes, expected %d"
              .formatted(calls.what(model, "HostAllocator.allocate"), memory.byteSize(), byteSize));
    }
    return memory;
  }

  /** {@inheritDoc} A failure is logged: the memory is lost, but those who free it go on. */
  @Override
  public void free(MemorySegment segment) {
    try {
      allocator.free(segment);
    } catch (Throwable thrown) { // also an Error: the caller has more to free
      var _ = calls.failed(model, "HostAllocator.free", thrown);
    }
  }
}
