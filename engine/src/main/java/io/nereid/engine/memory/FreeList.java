package io.nereid.engine.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The free blocks of one size, and which slabs are free as a whole. Thread-safe. */
final class FreeList {
  /** Memory of the allocator, cut into blocks of one size. */
  static final class Slab {
    final MemorySegment memory;
    final int blocks;

    /** How many blocks are free; guarded by the free list. */
    int free;

    /** Whether a block was returned since the last trim; guarded by the free list. */
    boolean used;

    Slab(MemorySegment memory, int blocks) {
      this.memory = memory;
      this.blocks = blocks;
    }
  }

  record Block(Slab slab, MemorySegment memory) {}

  final long blockSize;
  private final ArrayDeque<Block> blocks = new ArrayDeque<>();

  /** How many slabs have all of their blocks here. */
  private int freeSlabs;

  FreeList(long blockSize) {
    this.blockSize = blockSize;
  }

  synchronized @Nullable Block pop() {
    Block block = blocks.pollLast(); // the last one returned is the likeliest to be in a cache
    if (block != null && block.slab.free-- == block.slab.blocks) {
      freeSlabs--;
    }
    return block;
  }

  /** The sum of the blocks. */
  synchronized long byteSize() {
    return blocks.size() * blockSize;
  }

  synchronized void push(Block block) {
    blocks.addLast(block);
    Slab slab = block.slab;
    slab.used = true;
    if (++slab.free == slab.blocks) {
      freeSlabs++;
    }
  }

  /** Adds all blocks of a new slab but the first, which it returns. */
  synchronized Block add(Slab slab) {
    for (int i = slab.blocks - 1; i > 0; i--) {
      blocks.addLast(new Block(slab, slab.memory.asSlice(i * blockSize, blockSize)));
    }
    slab.free = slab.blocks - 1;
    return new Block(slab, slab.memory.asSlice(0, blockSize));
  }

  /** Removes free slabs until {@code wanted} bytes are removed, the longest unused first. */
  synchronized Set<Slab> removeFree(long wanted) {
    long missing = wanted;
    var removed = new HashSet<Slab>();
    if (freeSlabs > 0) {
      for (Block block : blocks) {
        Slab slab = block.slab;
        if (missing > 0 && slab.free == slab.blocks && removed.add(slab)) {
          missing -= slab.memory.byteSize();
        }
      }
      remove(removed);
    }
    return removed;
  }

  /** Removes free slabs that were not used since {@link #forgetUse}, {@code most} bytes or one. */
  synchronized Set<Slab> removeIdle(long most) {
    long left = most;
    var removed = new HashSet<Slab>();
    for (Block block : blocks) {
      Slab slab = block.slab;
      if (left > 0 && slab.free == slab.blocks && !slab.used && removed.add(slab)) {
        left -= slab.memory.byteSize();
      }
    }
    remove(removed);
    return removed;
  }

  synchronized void forgetUse() {
    blocks.forEach(block -> block.slab.used = false);
  }

  private void remove(Set<Slab> removed) {
    if (!removed.isEmpty()) {
      blocks.removeIf(block -> removed.contains(block.slab));
      freeSlabs -= removed.size();
    }
  }
}
