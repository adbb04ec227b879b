package io.nereid.engine.memory;

import io.nereid.engine.telemetry.refusal.RefusalCounter;
import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A pool that cuts blocks from slabs and keeps them for the next lease.
 *
 * <p>Blocks come in {@link SizeClasses}; each class has a stack of free blocks under its own lock,
 * held for a push or a pop. Small blocks are cut from slabs of a megabyte, large blocks are slabs
 * of their own, and blocks above the largest class are freed when their lease is closed. A steady
 * load allocates nothing.
 *
 * <p>A slab is freed as a whole, when none of its blocks is leased: at the limit, to make room for
 * another size, and by {@link #trim} once it has been idle. So one leased block keeps the megabyte
 * of small blocks around it; such slabs are not compacted.
 */
public final class SlabPool implements BufferPool {
  private static final long SLAB = 1L << 20;

  private final HostAllocator allocator;
  private final long maxByteSize;
  private final FreeList[] classes = new FreeList[SizeClasses.count()];

  /** Held while slabs are removed and freed. */
  private final Object releasing = new Object();

  private final AtomicLong heldBytes = new AtomicLong();
  private final LongAdder outstanding = new LongAdder();
  private final RefusalCounter refused = new RefusalCounter(System::nanoTime);

  /** Set before the last {@link #release}; a lease that is closed after that releases its own. */
  private volatile boolean closed;

  /**
   * @param allocator allocates and frees slabs, on the thread that leases, closes or trims
   * @param maxByteSize the limit of {@link #heldBytes}; beyond it leases fail as RESOURCE_EXHAUSTED
   */
  public SlabPool(HostAllocator allocator, long maxByteSize) {
    this.allocator = allocator;
    this.maxByteSize = maxByteSize;
    for (int i = 0; i < classes.length; i++) {
      classes[i] = new FreeList(SizeClasses.byteSize(i));
    }
  }

  @Override
  public Lease lease(long byteSize) {
    if (byteSize < 0) {
      throw new IllegalArgumentException("cannot lease " + byteSize + " bytes");
    }
    if (closed) {
      throw InferenceException.unavailable("the memory of the model is closed");
    }
    if (byteSize > SizeClasses.LARGEST) {
      MemorySegment memory = allocate(byteSize);
      try {
        var block = new FreeList.Block(new FreeList.Slab(memory, 1), memory);
        return new BlockLease(block, byteSize, null);
      } catch (Throwable noMemory) { // of the heap
        free(memory);
        throw noMemory;
      }
    }
    FreeList home = classes[SizeClasses.indexOf(byteSize)];
    FreeList.Block free = home.pop();
    FreeList.Block block = free == null ? cut(home) : free;
    try {
      return new BlockLease(block, byteSize, home);
    } catch (Throwable noMemory) {
      home.push(block);
      throw noMemory;
    }
  }

  @Override
  public long maxByteSize() {
    return maxByteSize;
  }

  @Override
  public long outstanding() {
    return outstanding.sum();
  }

  @Override
  public long heldBytes() {
    return heldBytes.get();
  }

  @Override
  public long freeBytes() {
    long free = 0;
    for (FreeList freeList : classes) {
      free += freeList.byteSize();
    }
    return free;
  }

  @Override
  public long refusedLeases() {
    return refused.sum();
  }

  /** Adds a slab to a class, and returns one of its blocks. */
  private FreeList.Block cut(FreeList home) {
    int blocks = (int) Math.max(1, SLAB / home.blockSize);
    MemorySegment memory = allocate(blocks * home.blockSize);
    try {
      return home.add(new FreeList.Slab(memory, blocks));
    } catch (Throwable noMemory) {
      free(memory);
      throw noMemory;
    }
  }

  private MemorySegment allocate(long byteSize) {
    try {
      return reserveAndAllocate(byteSize);
    } catch (InferenceException exhausted) {
      refused.count(Level.WARNING, exhausted::getMessage);
      throw exhausted;
    }
  }

  /** Allocates; if limit or allocator leave no room, after the release of free slabs. */
  private MemorySegment reserveAndAllocate(long byteSize) {
    reserve(byteSize);
    try {
      try {
        return allocator.allocate(byteSize);
      } catch (InferenceException exhausted) {
        if (release(byteSize) == 0) {
          throw exhausted;
        }
        return allocator.allocate(byteSize);
      }
    } catch (Throwable failed) { // also an Error of a backend's allocator
      heldBytes.addAndGet(-byteSize);
      throw failed;
    }
  }

  private void reserve(long byteSize) {
    while (true) {
      long held = heldBytes.get();
      long missing = byteSize - (maxByteSize - held); // no sum, which could overflow
      if (missing <= 0) {
        if (heldBytes.compareAndSet(held, held + byteSize)) {
          return;
        }
      } else if (byteSize > maxByteSize || (release(missing) == 0 && heldBytes.get() == held)) {
        throw InferenceException.exhausted(
            "tensor memory is exhausted: %d bytes wanted, %d of %d in use"
                .formatted(byteSize, held, maxByteSize));
      }
    }
  }

  /** Frees free slabs, of the largest blocks first, and returns their size. */
  private long release(long wanted) {
    synchronized (releasing) { // so that 0 means that no other thread is releasing
      long released = 0;
      for (int i = classes.length - 1; i >= 0 && released < wanted; i--) {
        released += free(classes[i].removeFree(wanted - released, /* onlyIdle= */ false));
      }
      return released;
    }
  }

  /** Frees the slabs in which no lease was closed since the call before this one. */
  @Override
  public void trim() {
    for (FreeList freeList : classes) {
      long freed;
      do { // in portions, since a lease that needs a slab may have to wait
        synchronized (releasing) {
          freed = free(freeList.removeFree(SizeClasses.LARGEST, /* onlyIdle= */ true));
        }
      } while (freed > 0);
      freeList.forgetUse();
    }
  }

  private long free(Set<FreeList.Slab> removed) {
    long freed = 0;
    Error failure = null;
    for (FreeList.Slab slab : removed) {
      freed += slab.memory.byteSize();
      try {
        free(slab.memory);
      } catch (RuntimeException | Error thrown) { // the others are to be freed, too
        failure = thrown instanceof Error error ? error : new AssertionError(thrown);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return freed;
  }

  /** Frees memory, which is counted no longer, whatever becomes of it. */
  private void free(MemorySegment memory) {
    try {
      allocator.free(memory);
    } finally {
      heldBytes.addAndGet(-memory.byteSize());
    }
  }

  @Override
  public void close() {
    closed = true;
    release(Long.MAX_VALUE);
  }

  /** A lease of a block; one with no home is freed when closed. */
  private final class BlockLease implements Lease {
    private static final VarHandle CLOSED;

    static {
      try {
        CLOSED = MethodHandles.lookup().findVarHandle(BlockLease.class, "closed", boolean.class);
      } catch (ReflectiveOperationException impossible) {
        throw new ExceptionInInitializerError(impossible);
      }
    }

    private final FreeList.Block block;
    private final MemorySegment segment;
    private final @Nullable FreeList home;

    @SuppressWarnings("unused") // through CLOSED
    private volatile boolean closed;

    BlockLease(FreeList.Block block, long byteSize, @Nullable FreeList home) {
      this.block = block;
      MemorySegment memory = block.memory;
      this.segment = memory.byteSize() == byteSize ? memory : memory.asSlice(0, byteSize);
      this.home = home;
      outstanding.increment();
    }

    @Override
    public MemorySegment segment() {
      if (closed) {
        throw new IllegalStateException(
            "a lease of " + segment.byteSize() + " bytes was used behind its close");
      }
      return segment;
    }

    @Override
    public void close() {
      if (!CLOSED.compareAndSet(this, false, true)) {
        throw new IllegalStateException(
            "a lease of " + segment.byteSize() + " bytes was closed twice");
      }
      outstanding.decrement();
      if (home == null) {
        free(block.memory);
      } else {
        home.push(block);
        if (SlabPool.this.closed) {
          release(Long.MAX_VALUE);
        }
      }
    }
  }
}
