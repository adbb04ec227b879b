package io.nereid.server.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A pool for tests: each lease is an arena of its own, so that reading or writing it after its
 * close throws, and fresh memory holds rubbish, so that whoever relies on zeros is found out. Slow:
 * closing such an arena stops every thread for a moment.
 */
public final class CheckedBufferPool implements BufferPool {
  private static final byte RUBBISH = (byte) 0xA5;

  private final AtomicLong outstanding = new AtomicLong();
  private final AtomicLong held = new AtomicLong();

  @Override
  public Lease lease(long byteSize) {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(Math.max(1, byteSize), ALIGNMENT).asSlice(0, byteSize);
    segment.fill(RUBBISH);
    outstanding.incrementAndGet();
    held.addAndGet(byteSize);
    return new Lease() {
      @Override
      public MemorySegment segment() {
        return segment;
      }

      @Override
      public void close() {
        arena.close(); // throws if it was closed before
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
   * Frees nothing: each lease frees its own memory, and one that is forgotten stays visible in
   * {@link #outstanding}.
   */
  @Override
  public void close() {}
}
