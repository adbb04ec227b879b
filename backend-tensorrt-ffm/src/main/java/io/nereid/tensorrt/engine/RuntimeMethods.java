package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt10_IRuntime;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IRuntime;
import java.lang.foreign.MemorySegment;

/** The addresses of the methods of {@code IRuntime}. */
record RuntimeMethods(MemorySegment deserializeCudaEngine, MemorySegment setEngineHostCodeAllowed) {
  static RuntimeMethods of(NativeObject runtime, TensorRtVersion version) {
    if (version.major() == 10) {
      MemorySegment table = runtime.table(trt10_IRuntime.layout());
      return new RuntimeMethods(
          trt10_IRuntime.deserializeCudaEngine(table),
          trt10_IRuntime.setEngineHostCodeAllowed(table));
    }
    MemorySegment table = runtime.table(trt11_IRuntime.layout());
    return new RuntimeMethods(
        trt11_IRuntime.deserializeCudaEngine(table),
        trt11_IRuntime.setEngineHostCodeAllowed(table));
  }
}
