package io.nereid.engine.execution.warmup;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The memory of samples. Zeros and random bytes are shared by all inputs of all samples, since no
 * instance writes to an input. All segments are read-only. Used by one thread.
 */
final class SampleData implements AutoCloseable {
  /** The same random bytes in each load, so that a warm-up can be repeated. */
  private static final long SEED = 0x9E3779B97F4A7C15L;

  private static final int CHUNK = 1 << 16;

  private final BufferPool pool;
  private final List<Lease> leases = new ArrayList<>();
  private @Nullable MemorySegment zeros;
  private @Nullable MemorySegment random;

  SampleData(BufferPool pool) {
    this.pool = pool;
  }

  /**
   * So many zeros.
   *
   * @throws InferenceException if there is no memory left
   */
  MemorySegment zeros(long byteSize) {
    if (zeros == null || zeros.byteSize() < byteSize) {
      zeros = lease(byteSize).fill((byte) 0);
    }
    return zeros.asSlice(0, byteSize).asReadOnly();
  }

  /**
   * So many random bytes.
   *
   * @throws InferenceException if there is no memory left
   */
  MemorySegment random(long byteSize) {
    if (random == null || random.byteSize() < byteSize) {
      random = lease(byteSize);
      fill(random);
    }
    return random.asSlice(0, byteSize).asReadOnly();
  }

  private static void fill(MemorySegment target) {
    var generator = new SplittableRandom(SEED);
    var chunk = new byte[CHUNK];
    for (long offset = 0; offset < target.byteSize(); offset += CHUNK) {
      generator.nextBytes(chunk);
      long length = Math.min(CHUNK, target.byteSize() - offset);
      MemorySegment.copy(MemorySegment.ofArray(chunk), 0, target, offset, length);
    }
  }

  /**
   * The first bytes of a file.
   *
   * @throws EOFException if it becomes shorter meanwhile
   * @throws InferenceException if there is no memory left
   */
  MemorySegment read(SeekableByteChannel file, long byteSize) throws IOException {
    MemorySegment target = lease(byteSize);
    for (long offset = 0; offset < byteSize; ) {
      long length = Math.min(CHUNK, byteSize - offset);
      ByteBuffer buffer = target.asSlice(offset, length).asByteBuffer();
      int read = file.read(buffer);
      if (read < 0) {
        throw new EOFException("it became shorter while it was read");
      }
      offset += read;
    }
    return target.asReadOnly();
  }

  private MemorySegment lease(long byteSize) {
    Lease lease = pool.lease(byteSize);
    leases.add(lease);
    return lease.segment();
  }

  @Override
  public void close() {
    leases.forEach(Lease::close);
  }
}
