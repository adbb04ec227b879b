package io.nereid.engine.memory;

import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An allocator of native memory. Each segment has a shared arena, so that it is freed by itself and
 * cannot be accessed afterwards. On Linux the memory is not cleared by the calling thread ({@link
 * LinuxMappings}); elsewhere it is.
 */
public final class ArenaAllocator implements HostAllocator {
  private final Map<Long, Arena> arenas = new ConcurrentHashMap<>();
  private final Optional<LinuxMappings> mappings;

  /** For the system that this process runs on. */
  public ArenaAllocator() {
    this(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  ArenaAllocator(String system, String architecture) {
    mappings = LinuxMappings.calls(system, architecture);
  }

  @Override
  public MemorySegment allocate(long byteSize) {
    Arena arena = Arena.ofShared();
    Optional<MemorySegment> segment =
        mappings.isPresent()
            ? mappings.get().map(byteSize, arena)
            : allocateCleared(byteSize, arena);
    if (segment.isEmpty()) {
      arena.close();
      throw InferenceException.exhausted("no native memory left for %d bytes".formatted(byteSize));
    }
    arenas.put(segment.get().address(), arena);
    return segment.get();
  }

  private static Optional<MemorySegment> allocateCleared(long byteSize, Arena arena) {
    try {
      return Optional.of(arena.allocate(byteSize, BufferPool.ALIGNMENT));
    } catch (OutOfMemoryError _) { // the only way to learn it
      return Optional.empty();
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
