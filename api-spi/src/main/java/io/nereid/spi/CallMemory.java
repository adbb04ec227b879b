package io.nereid.spi;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory of the server for inputs of a model that is called. Any thread may use it. */
public final class CallMemory implements AutoCloseable {
  private final MemorySegment segment;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param segment valid until {@code release} runs
   * @param release runs once, on any thread
   */
  public CallMemory(MemorySegment segment, Runnable release) {
    this.segment = segment;
    this.release = release;
  }

  /**
   * The memory, of exactly the size that was asked for.
   *
   * @throws IllegalStateException behind {@link #close}
   */
  public MemorySegment segment() {
    if (closed.get()) {
      throw new IllegalStateException("the memory of a call is closed");
    }
    return segment;
  }

  /** Releases the memory, which no call may read any more. A second call has no effect. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}
