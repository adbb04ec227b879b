package io.nereid.engine.memory;

import java.lang.foreign.MemorySegment;
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

  /** A part of a slab; a link of the list, so that its return needs no memory. */
  static final class Block {
    final Slab slab;
    final MemorySegment memory;
    private @Nullable Block before;
    private @Nullable Block after;

    Block(Slab slab, MemorySegment memory) {
      this.slab = slab;
      this.memory = memory;
    }
  }

  final long blockSize;

  /** The block that was returned first, and last; null if there is none. */
  private @Nullable Block first;

  private @Nullable Block last;
  private long count;

  /** How many slabs have all of their blocks here. */
  private int freeSlabs;

  FreeList(long blockSize) {
    this.blockSize = blockSize;
  }

  synchronized @Nullable Block pop() {
    Block block = last; // the last one returned is the likeliest to be in a cache
    if (block != null) {
      unlink(block);
      if (block.slab.free-- == block.slab.blocks) {
        freeSlabs--;
      }
    }
    return block;
  }

  /** The sum of the blocks. */
  synchronized long byteSize() {
    return count * blockSize;
  }

  synchronized void push(Block block) {
    link(block);
    Slab slab = block.slab;
    slab.used = true;
    if (++slab.free == slab.blocks) {
      freeSlabs++;
    }
  }

  private void link(Block block) {
    block.before = last;
    if (last == null) {
      first = block;
    } else {
      last.after = block;
    }
    last = block;
    count++;
  }

  private void unlink(Block block) {
    if (block.before == null) {
      first = block.after;
    } else {
      block.before.after = block.after;
    }
    if (block.after == null) {
      last = block.before;
    } else {
      block.after.before = block.before;
    }
    block.before = null;
    block.after = null;
    count--;
  }

  /** Adds all blocks of a new slab but the first, which it returns; none if it throws. */
  Block add(Slab slab) {
    var blocks = new Block[slab.blocks];
    for (int i = 0; i < slab.blocks; i++) {
      blocks[i] = new Block(slab, slab.memory.asSlice(i * blockSize, blockSize));
    }
    synchronized (this) {
      for (int i = slab.blocks - 1; i > 0; i--) {
        link(blocks[i]);
      }
      slab.free = slab.blocks - 1;
    }
    return blocks[0];
  }

  /**
   * Removes free slabs until {@code wanted} bytes are removed, the longest unused first.
   *
   * @param onlyIdle whether to keep those that were used since {@link #forgetUse}
   */
  synchronized Set<Slab> removeFree(long wanted, boolean onlyIdle) {
    long missing = wanted;
    var removed = new HashSet<Slab>();
    if (freeSlabs > 0) {
      for (Block block = first; block != null; block = block.after) {
        Slab slab = block.slab;
        boolean isWanted = slab.free == slab.blocks && !(onlyIdle && slab.used);
        if (missing > 0 && isWanted && removed.add(slab)) {
          missing -= slab.memory.byteSize();
        }
      }
      remove(removed);
    }
    return removed;
  }

  synchronized void forgetUse() {
    for (Block block = first; block != null; block = block.after) {
      block.slab.used = false;
    }
  }

  private void remove(Set<Slab> removed) {
    if (!removed.isEmpty()) {
      Block next;
      for (Block block = first; block != null; block = next) {
        next = block.after;
        if (removed.contains(block.slab)) {
          unlink(block);
        }
      }
      freeSlabs -= removed.size();
    }
  }
}
