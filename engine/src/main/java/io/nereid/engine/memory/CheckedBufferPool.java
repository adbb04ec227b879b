package io.nereid.engine.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A pool that finds errors in its users. Each lease is an arena of its own, so that access after
 * its close throws. Fresh memory is filled with a pattern, so that code that relies on zeros fails.
 * Slow: closing a shared arena is a handshake with every thread.
 */
public final class CheckedBufferPool implements BufferPool {
  private static final byte PATTERN = (byte) 0xA5;

  private final AtomicLong outstanding = new AtomicLong();
  private final AtomicLong held = new AtomicLong();

  @Override
  public Lease lease(long byteSize) {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(Math.max(1, byteSize), ALIGNMENT).asSlice(0, byteSize);
    segment.fill(PATTERN);
    outstanding.incrementAndGet();
    held.addAndGet(byteSize);
    return new Lease() {
      @Override
      public MemorySegment segment() {
        return segment;
      }

      @Override
      public void close() {
        arena.close(); // throws if it is closed already
        outstanding.decrementAndGet();
        held.addAndGet(-byteSize);
      }
    };
  }

  @Override
  public long outstanding() {
    return outstanding.get();
  }

  @Override
  public long heldBytes() {
    return held.get();
  }

  /**
   * Does nothing: each lease frees its own memory, and a lease that is never closed stays visible
   * in {@link #outstanding}.
   */
  @Override
  public void close() {}
}
