package io.nereid.tensorrt.cuda;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bounded pool of page-locked buffers, such as for outputs. Page-locked memory is slow to
 * allocate, so a closed buffer is kept for the next lease of its size class. Size classes are
 * powers of two from 4 KiB. Thread-safe.
 */
public final class PinnedPool implements AutoCloseable {
  private static final int SMALLEST_SHIFT = 12;
  private static final int LARGEST_SHIFT = 62;

  /** A leased buffer. Its holder closes it, once no copy that uses it is pending. */
  public static final class Buffer implements AutoCloseable {
    private final PinnedPool pool;
    private final MemorySegment memory;
    private final int sizeClass;
    private volatile boolean leased = true;

    private Buffer(PinnedPool pool, MemorySegment memory, int sizeClass) {
      this.pool = pool;
      this.memory = memory;
      this.sizeClass = sizeClass;
    }

    /**
     * All of the buffer: as many bytes as were asked for, or more.
     *
     * @throws IllegalStateException if the buffer is closed
     */
    public MemorySegment memory() {
      if (!leased) {
        throw new IllegalStateException("page-locked buffer is closed");
      }
      return memory;
    }

    /** Returns the buffer to the pool. Has no effect on a closed buffer. */
    @Override
    public void close() {
      pool.release(this);
    }
  }

  private final PinnedMemory allocator;
  private final long maxBytes;
  private final List<ArrayDeque<Buffer>> idle = new ArrayList<>();
  private long reservedBytes;
  private boolean closed;

  /**
   * @param maxBytes the most bytes that leased and idle buffers take together
   */
  public PinnedPool(PinnedMemory allocator, long maxBytes) {
    this.allocator = allocator;
    this.maxBytes = maxBytes;
    for (int shift = SMALLEST_SHIFT; shift <= LARGEST_SHIFT; shift++) {
      idle.add(new ArrayDeque<>());
    }
  }

  /**
   * Leases a buffer, or returns null if the limit does not allow one; other host memory works too,
   * at a lower speed. Idle buffers of other sizes are freed to stay within the limit.
   *
   * @throws CudaException if CUDA cannot allocate page-locked memory
   */
  public @Nullable Buffer tryLease(long byteSize) {
    if (byteSize > Math.min(maxBytes, 1L << LARGEST_SHIFT)) {
      return null;
    }
    int sizeClass = sizeClass(byteSize);
    long classSize = 1L << (SMALLEST_SHIFT + sizeClass);
    List<Buffer> unused;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("page-locked pool is closed");
      }
      Buffer kept = idle.get(sizeClass).pollLast();
      if (kept != null) {
        kept.leased = true;
        return kept;
      }
      unused = takeUnused(maxBytes - classSize);
      if (reservedBytes > maxBytes - classSize) {
        unused.forEach(this::keep);
        return null;
      }
      reservedBytes += classSize;
    }
    return allocate(sizeClass, classSize, unused);
  }

  /** Frees what is not used any more and allocates a buffer; its bytes are reserved already. */
  private Buffer allocate(int sizeClass, long classSize, List<Buffer> unused) {
    try {
      Closing.all(unused, this::free);
      return new Buffer(this, allocator.allocatePinned(classSize), sizeClass);
    } catch (CudaException failed) {
      release(classSize);
      throw failed;
    }
  }

  /** Takes idle buffers, large ones first, until no more than some bytes are reserved. */
  private List<Buffer> takeUnused(long bytes) {
    var taken = new ArrayList<Buffer>();
    for (int i = idle.size() - 1; i >= 0; i--) {
      while (reservedBytes > bytes && !idle.get(i).isEmpty()) {
        Buffer buffer = idle.get(i).removeFirst();
        reservedBytes -= buffer.memory.byteSize();
        taken.add(buffer);
      }
    }
    return taken;
  }

  private void keep(Buffer buffer) {
    reservedBytes += buffer.memory.byteSize();
    idle.get(buffer.sizeClass).addLast(buffer);
  }

  /** Bytes of leased and idle buffers. */
  public synchronized long reservedBytes() {
    return reservedBytes;
  }

  private static int sizeClass(long byteSize) {
    int shift = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, byteSize) - 1);
    return Math.max(shift, SMALLEST_SHIFT) - SMALLEST_SHIFT;
  }

  private void release(Buffer buffer) {
    synchronized (this) {
      if (!buffer.leased) {
        return;
      }
      buffer.leased = false;
      if (!closed) {
        idle.get(buffer.sizeClass).addLast(buffer);
        return;
      }
      reservedBytes -= buffer.memory.byteSize();
    }
    free(buffer);
  }

  private synchronized void release(long bytes) {
    reservedBytes -= bytes;
  }

  private void free(Buffer buffer) {
    allocator.freePinned(buffer.memory);
  }

  /** Frees the idle buffers now, and each leased one when it is closed. */
  @Override
  public void close() {
    List<Buffer> unused;
    synchronized (this) {
      closed = true;
      unused = takeUnused(-1);
    }
    Closing.all(unused, this::free);
  }
}
