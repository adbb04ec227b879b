package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.IHostMemory_data;
import io.nereid.tensorrt.bindings.nvinfer.IHostMemory_size;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IHostMemory;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IHostMemory;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import java.lang.foreign.MemorySegment;

/** {@code nvinfer1::IHostMemory}: bytes that TensorRT has written. */
public final class HostMemory implements AutoCloseable {
  private final NativeObject memory;
  private final MemorySegment bytes;

  private HostMemory(NativeObject memory, MemorySegment bytes) {
    this.memory = memory;
    this.bytes = bytes;
  }

  static HostMemory take(TensorRt tensorRt, MemorySegment address) {
    NativeObject memory = tensorRt.take("IHostMemory", address, null);
    try {
      MethodTable methods =
          MethodTable.of(
              memory.impl(),
              tensorRt.version(),
              trt10_IHostMemory.layout(),
              trt11_IHostMemory.layout());
      MemorySegment data = IHostMemory_data.invoke(methods.method("data"), memory.impl());
      long size = IHostMemory_size.invoke(methods.method("size"), memory.impl());
      if (NativeObject.isNull(data) || size <= 0) {
        throw tensorRt.failure("TensorRT returned %d bytes".formatted(size));
      }
      // "data: Pointer to the raw data" of "size: The size in bytes" (NvInferRuntime.h)
      return new HostMemory(memory, data.reinterpret(size).asReadOnly());
    } catch (RuntimeException | Error failure) {
      memory.close();
      throw failure;
    }
  }

  /**
   * The content, until the close.
   *
   * @throws IllegalStateException if it is closed
   */
  public MemorySegment bytes() {
    memory.impl();
    return bytes;
  }

  @Override
  public void close() {
    memory.close();
  }
}
