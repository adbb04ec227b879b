package io.nereid.engine.model.control.lifecycle;

import io.nereid.request.InferenceRequest;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory and strategy of {@link HostileBackend}, which break their contracts as it does. */
final class HostileParts {
  private HostileParts() {}

  record Shared() implements SharedDeviceMemory {
    @Override
    public void read(long offset, MemorySegment target) {
      HostileBackend.at(SpiCall.READ_SHARED, true);
    }

    @Override
    public void write(long offset, MemorySegment source) {
      HostileBackend.at(SpiCall.WRITE_SHARED, true);
    }

    @Override
    public void close() {
      HostileBackend.at(SpiCall.CLOSE_SHARED, true);
    }
  }

  /** Memory that is never freed, but by the end of the process. */
  record Allocator() implements HostAllocator {
    @Override
    public MemorySegment allocate(long byteSize) {
      return HostileBackend.at(SpiCall.ALLOCATE, Arena.global().allocate(byteSize, 64));
    }

    @Override
    public void free(MemorySegment segment) {
      HostileBackend.at(SpiCall.FREE, true);
    }
  }

  record Strategy() implements BatchingStrategy {
    @Override
    public void begin(InferenceRequest first) {
      HostileBackend.at(SpiCall.BEGIN, true);
    }

    @Override
    public boolean includes(InferenceRequest next) {
      return HostileBackend.at(SpiCall.INCLUDES, true);
    }
  }
}
