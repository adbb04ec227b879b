package io.nereid.engine.memory;

import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** An allocator of native memory that counts segments and that a test can limit. */
final class CountingAllocator implements HostAllocator {
  final AtomicLong allocated = new AtomicLong();
  final AtomicLong freed = new AtomicLong();
  volatile long maxOutstanding = Long.MAX_VALUE;
  private final ArenaAllocator memory = new ArenaAllocator();

  @Override
  public MemorySegment allocate(long byteSize) {
    if (outstanding() >= maxOutstanding) {
      throw InferenceException.unavailable("no pinned memory");
    }
    MemorySegment segment = memory.allocate(byteSize);
    allocated.incrementAndGet();
    return segment;
  }

  @Override
  public void free(MemorySegment segment) {
    memory.free(segment);
    freed.incrementAndGet();
  }

  long outstanding() {
    return allocated.get() - freed.get();
  }
}
