package io.nereid.server.memory;

import io.nereid.error.InferenceException;
import io.nereid.spi.HostAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Lends blocks that it cuts from slabs and keeps for the next borrower.
 *
 * <p>Blocks come in {@link SizeClasses}; each class has a list of free blocks under its own lock,
 * held for a push or a pop. Small blocks are cut from slabs of a megabyte, large ones are slabs of
 * their own, and the largest go back to the allocator when they return. So the memory held is what
 * was in use at the busiest moment, and a steady load allocates nothing.
 */
public final class SlabPool implements BufferPool {
  private static final long SLAB = 1L << 20;

  private final HostAllocator allocator;
  private final long maxByteSize;
  private final FreeList[] classes = new FreeList[SizeClasses.count()];
  private final List<MemorySegment> slabs = new ArrayList<>();
  private final AtomicLong heldBytes = new AtomicLong();
  private final LongAdder outstanding = new LongAdder();

  /**
   * @param allocator where slabs come from; it is asked by whichever thread finds no free block
   * @param maxByteSize beyond it the pool answers UNAVAILABLE
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
      throw new IllegalArgumentException("cannot lend " + byteSize + " bytes");
    }
    if (byteSize > SizeClasses.LARGEST) {
      return new Block(obtain(byteSize), byteSize, null);
    }
    FreeList home = classes[SizeClasses.indexOf(byteSize)];
    MemorySegment memory = home.pop();
    return new Block(memory == null ? cut(home) : memory, byteSize, home);
  }

  @Override
  public long outstanding() {
    return outstanding.sum();
  }

  @Override
  public long heldBytes() {
    return heldBytes.get();
  }

  /** Takes a slab apart into blocks of one class; keeps all but the one it returns. */
  private MemorySegment cut(FreeList home) {
    long blocks = Math.max(1, SLAB / home.blockSize);
    MemorySegment slab = obtain(blocks * home.blockSize);
    synchronized (slabs) {
      slabs.add(slab);
    }
    for (long i = 1; i < blocks; i++) {
      home.push(slab.asSlice(i * home.blockSize, home.blockSize));
    }
    return slab.asSlice(0, home.blockSize);
  }

  private MemorySegment obtain(long byteSize) {
    if (byteSize > maxByteSize) { // before it is added: the sum could overflow
      throw exhausted(byteSize);
    }
    if (heldBytes.addAndGet(byteSize) > maxByteSize) {
      heldBytes.addAndGet(-byteSize);
      throw exhausted(byteSize);
    }
    try {
      return allocator.allocate(byteSize);
    } catch (RuntimeException refused) {
      heldBytes.addAndGet(-byteSize);
      throw refused;
    }
  }

  private InferenceException exhausted(long byteSize) {
    return InferenceException.unavailable(
        "tensor memory is exhausted: %d bytes wanted, %d of %d in use"
            .formatted(byteSize, heldBytes.get(), maxByteSize));
  }

  @Override
  public void close() {
    for (FreeList freeList : classes) {
      freeList.clear();
    }
    synchronized (slabs) {
      for (MemorySegment slab : slabs) {
        heldBytes.addAndGet(-slab.byteSize());
        allocator.free(slab);
      }
      slabs.clear();
    }
  }

  /** The free blocks of one size. */
  private static final class FreeList {
    final long blockSize;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();

    FreeList(long blockSize) {
      this.blockSize = blockSize;
    }

    synchronized @Nullable MemorySegment pop() {
      return free.pollLast(); // the last one back is the likeliest to be in a cache
    }

    synchronized void push(MemorySegment block) {
      free.addLast(block);
    }

    synchronized void clear() {
      free.clear();
    }
  }

  /** A lease of a block; one with no home goes back to the allocator. */
  private final class Block implements Lease {
    private static final VarHandle CLOSED;

    static {
      try {
        CLOSED = MethodHandles.lookup().findVarHandle(Block.class, "closed", boolean.class);
      } catch (ReflectiveOperationException impossible) {
        throw new ExceptionInInitializerError(impossible);
      }
    }

    private final MemorySegment memory;
    private final MemorySegment segment;
    private final @Nullable FreeList home;

    @SuppressWarnings("unused") // through CLOSED
    private volatile boolean closed;

    Block(MemorySegment memory, long byteSize, @Nullable FreeList home) {
      this.memory = memory;
      this.segment = memory.byteSize() == byteSize ? memory : memory.asSlice(0, byteSize);
      this.home = home;
      outstanding.increment();
    }

    @Override
    public MemorySegment segment() {
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
        heldBytes.addAndGet(-memory.byteSize());
        allocator.free(memory);
      } else {
        home.push(memory);
      }
    }
  }
}
