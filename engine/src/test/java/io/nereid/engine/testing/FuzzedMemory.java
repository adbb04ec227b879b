package io.nereid.engine.testing;

import com.sun.management.ThreadMXBean;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;

/**
 * The memory that a reader may take for one input: leases and heap in proportion to the input's
 * bytes. For one thread.
 *
 * <pre>{@code
 * FuzzedMemory.run(input, memory -> reader.read(memory.copyOf(input), memory).close());
 * }</pre>
 *
 * <p>Each lease is an arena of its own, filled with a pattern, as in {@link
 * io.nereid.engine.memory.CheckedBufferPool}, but confined to its thread, which costs a hundredth.
 */
public final class FuzzedMemory implements BufferPool {
  private static final byte PATTERN = (byte) 0xA5;

  /**
   * What any reader may lease or allocate, whatever it reads: its buffers, and messages, such as a
   * hundred problems of a configuration with what may be meant. Instrumented code allocates too.
   */
  private static final long BASE = 16 << 20;

  /**
   * How much for each byte of the input. The smallest JSON value is two bytes of text, and an
   * object and two references on the heap, which grow by doubling.
   */
  private static final long FACTOR = 512;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final long limit;
  private long leased;
  private long held;
  private long outstanding;

  private FuzzedMemory(long limit) {
    this.limit = limit;
  }

  /**
   * Runs a reader on an input, and checks afterwards that it left no lease open and kept the limit.
   */
  public static void run(byte[] input, Consumer<FuzzedMemory> reader) {
    long limit = limit(input);
    if (allocatedBy(input, reader) <= limit) {
      return;
    }
    long again = allocatedBy(input, reader); // the first run may have loaded classes
    if (again > limit) {
      throw new AssertionError(
          "%d bytes of heap; at most %d for this input".formatted(again, limit));
    }
  }

  private static long allocatedBy(byte[] input, Consumer<FuzzedMemory> reader) {
    var memory = new FuzzedMemory(limit(input));
    long before = THREADS.getCurrentThreadAllocatedBytes();
    reader.accept(memory);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    if (memory.outstanding != 0) {
      throw new AssertionError("%d leases are not closed".formatted(memory.outstanding));
    }
    return allocated;
  }

  private static long limit(byte[] input) {
    return BASE + FACTOR * input.length;
  }

  /** Leases a copy of those bytes, which is not counted. */
  public Lease copyOf(byte[] bytes) {
    Lease lease = lease(bytes.length);
    leased -= bytes.length;
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, lease.segment(), 0, bytes.length);
    return lease;
  }

  @Override
  public Lease lease(long byteSize) {
    leased += byteSize;
    if (leased > limit) {
      throw new AssertionError(
          "%d bytes of leases, of which %d at once; at most %d for this input"
              .formatted(leased, byteSize, limit));
    }
    var arena = Arena.ofConfined();
    MemorySegment segment = arena.allocate(Math.max(1, byteSize), ALIGNMENT).asSlice(0, byteSize);
    segment.fill(PATTERN);
    outstanding++;
    held += byteSize;
    return new Lease() {
      @Override
      public MemorySegment segment() {
        return segment;
      }

      @Override
      public void close() {
        arena.close(); // throws if it is closed already
        outstanding--;
        held -= byteSize;
      }
    };
  }

  @Override
  public long outstanding() {
    return outstanding;
  }

  @Override
  public long heldBytes() {
    return held;
  }

  /** Does nothing: each lease frees its own memory. */
  @Override
  public void close() {}
}
