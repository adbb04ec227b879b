package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.doubles.PlanText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Device 0 of the doubles with a stream, a pool and a runtime of TensorRT; closes what tests have
 * made of it, the last first.
 */
final class DoubleDevice implements AutoCloseable {
  final CudaDevice device = CudaDevice.of(0);
  final Arena arena = Arena.ofShared();
  final TensorRt tensorRt;
  final CudaStream stream;
  final InferenceRuntime runtime;
  private final DeviceMemoryPool pool;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  DoubleDevice() {
    device.use();
    pool = open(DeviceMemoryPool.create(device));
    stream = open(CudaStream.create(0));
    tensorRt = TensorRt.open(CudaDevice.count());
    runtime = open(createRuntime());
  }

  private InferenceRuntime createRuntime() {
    try {
      return tensorRt.createRuntime(device.name());
    } catch (TensorRtException failure) {
      stream.close();
      pool.close();
      throw failure;
    }
  }

  /** Closes {@code object} with this device. */
  <T extends AutoCloseable> T open(T object) {
    opened.push(object);
    return object;
  }

  CudaEngine engine(PlanText plan) {
    return open(runtime.deserialize(plan.bytes(arena)));
  }

  ExecutionContext context(PlanText plan) {
    return context(engine(plan));
  }

  ExecutionContext context(CudaEngine engine) {
    return open(engine.createContext(AllocationStrategy.STATIC));
  }

  DeviceBuffer buffer(long byteSize) {
    DeviceBuffer buffer = pool.allocate(byteSize, stream);
    open(() -> buffer.free(stream));
    return buffer;
  }

  /** A buffer that is aligned as TensorRT asks of allocators of outputs. */
  DeviceBuffer alignedBuffer() {
    return buffer(4096);
  }

  DeviceBuffer upload(int... values) {
    return upload(arena.allocateFrom(ValueLayout.JAVA_INT, values));
  }

  DeviceBuffer upload(float... values) {
    return upload(arena.allocateFrom(ValueLayout.JAVA_FLOAT, values));
  }

  DeviceBuffer upload(MemorySegment bytes) {
    DeviceBuffer buffer = buffer(bytes.byteSize());
    stream.copyToDevice(buffer, 0, bytes, bytes.byteSize());
    return buffer;
  }

  /** The bytes of a buffer, once the stream is done. */
  MemorySegment download(DeviceBuffer buffer) {
    MemorySegment bytes = arena.allocate(buffer.byteSize(), 8);
    stream.copyToHost(bytes, buffer, 0, buffer.byteSize());
    stream.synchronize();
    return bytes;
  }

  int[] ints(DeviceBuffer buffer) {
    return download(buffer).toArray(ValueLayout.JAVA_INT);
  }

  float[] floats(DeviceBuffer buffer) {
    return download(buffer).toArray(ValueLayout.JAVA_FLOAT);
  }

  @Override
  public void close() {
    stream.synchronize();
    while (!opened.isEmpty()) {
      AutoCloseable next = opened.pop();
      if (next.equals(stream)) {
        stream.synchronize(); // the frees of buffers
      }
      close(next);
    }
    arena.close();
  }

  private static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
