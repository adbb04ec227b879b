package io.nereid.engine.cache;

import io.nereid.error.InferenceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Native memory of a fixed size, allocated in blocks: of the free extents the smallest that fits is
 * used, and adjacent free extents are merged. Not thread-safe.
 */
final class LocalMemory implements AutoCloseable {
  /** The alignment of blocks; their sizes are multiples of it. */
  static final long ALIGNMENT = 64;

  /** A part of the memory. */
  record Block(long offset, long byteSize) {}

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /** The free extents by offset; no two are adjacent. */
  private final TreeMap<Long, Block> byOffset = new TreeMap<>();

  private final TreeSet<Block> bySize =
      new TreeSet<>(
          Comparator.comparingLong(Block::byteSize).thenComparing(Block::offset, Long::compare));

  private long freeBytes;

  /**
   * @throws InferenceException UNAVAILABLE if there is not enough native memory
   */
  LocalMemory(long byteSize) {
    try {
      memory = arena.allocate(byteSize, ALIGNMENT);
    } catch (OutOfMemoryError exhausted) {
      arena.close();
      throw InferenceException.unavailable(
          "no native memory for a response cache of %d bytes: %s"
              .formatted(byteSize, exhausted.getMessage()));
    }
    add(new Block(0, byteSize / ALIGNMENT * ALIGNMENT));
    freeBytes = capacity();
  }

  long capacity() {
    return memory.byteSize() / ALIGNMENT * ALIGNMENT;
  }

  long usedBytes() {
    return capacity() - freeBytes;
  }

  /** A block of at least {@code byteSize} bytes; null if no free extent is large enough. */
  @Nullable Block allocate(long byteSize) {
    long needed = (byteSize + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Block extent = bySize.ceiling(new Block(0, needed));
    if (extent == null) {
      return null;
    }
    remove(extent);
    if (extent.byteSize > needed) {
      add(new Block(extent.offset + needed, extent.byteSize - needed));
    }
    freeBytes -= needed;
    return new Block(extent.offset, needed);
  }

  /** Frees a block, once. */
  void free(Block block) {
    long begin = block.offset;
    long end = block.offset + block.byteSize;
    Map.Entry<Long, Block> before = byOffset.lowerEntry(begin);
    if (before != null && before.getValue().offset + before.getValue().byteSize == begin) {
      begin = before.getKey();
      remove(before.getValue());
    }
    Block after = byOffset.get(end);
    if (after != null) {
      end += after.byteSize;
      remove(after);
    }
    add(new Block(begin, end - begin));
    freeBytes += block.byteSize;
  }

  /** The first bytes of a block. */
  MemorySegment segment(Block block, long byteSize) {
    return memory.asSlice(block.offset, byteSize);
  }

  private void add(Block extent) {
    byOffset.put(extent.offset, extent);
    bySize.add(extent);
  }

  private void remove(Block extent) {
    byOffset.remove(extent.offset);
    bySize.remove(extent);
  }

  /** Frees the memory, blocks in use included. */
  @Override
  public void close() {
    arena.close();
  }
}
