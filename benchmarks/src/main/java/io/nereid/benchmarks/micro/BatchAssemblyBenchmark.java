package io.nereid.benchmarks.micro;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to gather a batch from the memory of its requests? The baseline copies the body
 * of each request from the connection's buffer into that memory.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BatchAssemblyBenchmark {
  private static final long POOL_BYTES = 256L << 20;

  /** A row of 784 floats, an image of 224 x 224. */
  @Param({"3136", "602112"})
  public int byteSize;

  @Param({"16", "64"})
  public int requests;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final List<Lease> inputs = new ArrayList<>();
  private final List<Lease> batch = new ArrayList<>();
  private MemorySegment body = MemorySegment.NULL;

  /** Leases memory for the requests and for the batch. */
  @Setup
  public void lease() {
    body = MemorySegment.ofArray(new byte[byteSize]).fill((byte) 1);
    for (int i = 0; i < requests; i++) {
      inputs.add(pool.lease(byteSize));
    }
    batch.add(pool.lease((long) requests * byteSize));
    decodeBaseline();
  }

  /** Releases the leases. */
  @TearDown
  public void close() {
    inputs.forEach(Lease::close);
    batch.forEach(Lease::close);
    pool.close();
  }

  /** Copies the bytes of all requests into one segment. */
  @Benchmark
  public MemorySegment gather() {
    MemorySegment whole = batch.getFirst().segment();
    long offset = 0;
    for (int i = 0; i < inputs.size(); i++) {
      MemorySegment.copy(inputs.get(i).segment(), 0, whole, offset, byteSize);
      offset += byteSize;
    }
    return whole;
  }

  /** Copies the body of each request into its memory. */
  @Benchmark
  public MemorySegment decodeBaseline() {
    for (int i = 0; i < inputs.size(); i++) {
      MemorySegment.copy(body, 0, inputs.get(i).segment(), 0, byteSize);
    }
    return body;
  }
}
