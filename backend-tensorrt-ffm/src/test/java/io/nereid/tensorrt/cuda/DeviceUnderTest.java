package io.nereid.tensorrt.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What most tests need of a device: a stream, a pool, and memory for values. */
final class DeviceUnderTest implements AutoCloseable {
  final Arena arena = Arena.ofShared();
  final CudaDevice device;
  final DeviceMemoryPool pool;
  final CudaStream stream;

  DeviceUnderTest() {
    this(0);
  }

  DeviceUnderTest(int id) {
    device = CudaDevice.of(id);
    device.use();
    pool = DeviceMemoryPool.create(device);
    stream = CudaStream.create(0);
  }

  /** A new buffer with these values, which are copied when the stream runs. */
  DeviceBuffer upload(int... values) {
    var buffer = pool.allocate(4L * values.length, stream);
    stream.copyToDevice(buffer, 0, values(values), buffer.byteSize());
    return buffer;
  }

  /** Pageable host memory with these values. */
  MemorySegment values(int... values) {
    return arena.allocateFrom(ValueLayout.JAVA_INT, values);
  }

  /** Pageable host memory for a number of values. */
  MemorySegment room(int values) {
    return arena.allocate(ValueLayout.JAVA_INT, values);
  }

  /** The values of a buffer once the stream has run. */
  int[] download(DeviceBuffer buffer) {
    var target = room((int) buffer.byteSize() / 4);
    stream.copyToHost(target, buffer, 0, buffer.byteSize());
    stream.synchronize();
    return ints(target);
  }

  static int[] ints(MemorySegment memory) {
    return memory.toArray(ValueLayout.JAVA_INT);
  }

  @Override
  public void close() {
    if (device.failure() == null) {
      stream.synchronize();
    }
    stream.close();
    pool.close();
    arena.close();
  }
}
