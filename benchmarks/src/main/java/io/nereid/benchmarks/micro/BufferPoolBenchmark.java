package io.nereid.benchmarks.micro;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.SlabPool;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does memory for one request cost from the pool? The baselines allocate it in an arena of its
 * own: a confined one, the cheapest in Java, which is bound to one thread, and a shared one, which
 * like a lease may be passed to another thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BufferPoolBenchmark {
  private static final long POOL_BYTES = 64L << 20;

  /** The sizes of an input of {@code simple}, of 1,024 floats, and of an image of 224 x 224. */
  @Param({"64", "4096", "602112"})
  public int byteSize;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);

  /** Frees the slabs. */
  @TearDown
  public void close() {
    pool.close();
  }

  /** Leases and releases memory, and touches it so that it is resident. */
  @Benchmark
  public byte lease() {
    try (var lease = pool.lease(byteSize)) {
      lease.segment().set(ValueLayout.JAVA_BYTE, byteSize - 1L, (byte) 1);
      return lease.segment().get(ValueLayout.JAVA_BYTE, 0);
    }
  }

  /** A confined arena, which clears the memory. */
  @Benchmark
  public byte confinedArenaBaseline() {
    try (var arena = Arena.ofConfined()) {
      var segment = arena.allocate(byteSize);
      segment.set(ValueLayout.JAVA_BYTE, byteSize - 1L, (byte) 1);
      return segment.get(ValueLayout.JAVA_BYTE, 0);
    }
  }

  /** A shared arena, whose close is a handshake with all threads. */
  @Benchmark
  public byte sharedArenaBaseline() {
    try (var arena = Arena.ofShared()) {
      var segment = arena.allocate(byteSize);
      segment.set(ValueLayout.JAVA_BYTE, byteSize - 1L, (byte) 1);
      return segment.get(ValueLayout.JAVA_BYTE, 0);
    }
  }
}
