package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.cuda.PinnedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A device with a stream and memory of all kinds, and checks of what memory contains. */
abstract class CudaUnderTest {
  Arena arena;
  CudaDevice device;
  DeviceMemoryPool pool;
  CudaStream stream;
  PinnedMemory pinned;

  /** The device, bound and usable. */
  abstract CudaDevice device();

  /** The size of the largest copies. */
  abstract long largestBytes();

  /** Another process that runs {@link IpcPeer}. */
  abstract Peer startPeer() throws Exception;

  @BeforeEach
  void open() {
    arena = Arena.ofShared();
    device = device();
    device.use();
    pool = DeviceMemoryPool.create(device);
    stream = CudaStream.create(0);
    pinned = new PinnedMemory(device);
  }

  @AfterEach
  void close() {
    stream.synchronize();
    stream.close();
    pool.close();
    arena.close();
  }

  LongStream sizes() {
    return LongStream.of(1, 3, 4096, 65_537, largestBytes());
  }

  MemorySegment random(MemorySegment memory, long seed) {
    byte[] bytes = new byte[Math.toIntExact(memory.byteSize())];
    new Random(seed).nextBytes(bytes);
    return memory.copyFrom(MemorySegment.ofArray(bytes));
  }

  MemorySegment random(long byteSize, long seed) {
    return random(arena.allocate(byteSize), seed);
  }

  void roundTrip(MemorySegment source, MemorySegment target) {
    long byteSize = source.byteSize();
    target.fill((byte) 0);
    DeviceBuffer buffer = pool.allocate(byteSize + 16, stream);
    stream.copyToDevice(buffer, 16, source, byteSize);
    stream.copyToHost(target, buffer, 16, byteSize);
    buffer.free(stream);
    stream.synchronize();
    assertSame(target, source);
  }

  static void assertSame(MemorySegment actual, MemorySegment expected) {
    assertThat(actual.mismatch(expected)).as("first byte that differs").isEqualTo(-1);
  }
}
