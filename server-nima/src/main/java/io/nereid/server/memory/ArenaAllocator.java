package io.nereid.server.memory;

import io.nereid.spi.HostAllocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An allocator of native memory. Each segment has a shared arena, so that it is freed by itself.
 */
public final class ArenaAllocator implements HostAllocator {
  private final Map<Long, Arena> arenas = new ConcurrentHashMap<>();

  @Override
  public MemorySegment allocate(long byteSize) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment segment = arena.allocate(byteSize, BufferPool.ALIGNMENT);
      arenas.put(segment.address(), arena);
      return segment;
    } catch (OutOfMemoryError exhausted) {
      arena.close();
      throw MemoryErrors.exhausted(
          "no native memory left for %d bytes: %s".formatted(byteSize, exhausted.getMessage()));
    }
  }

  @Override
  public void free(MemorySegment segment) {
    Arena arena = arenas.remove(segment.address());
    if (arena == null) {
      throw new IllegalStateException("not allocated here, or freed already: " + segment);
    }
    arena.close();
  }
}
