package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt10_IExecutionContext;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IExecutionContext;
import java.lang.foreign.MemorySegment;

/** The addresses of the methods of {@code IExecutionContext}. */
record ContextMethods(
    MemorySegment setName,
    MemorySegment setOptimizationProfileAsync,
    MemorySegment setInputShape,
    MemorySegment getTensorShape,
    MemorySegment setTensorAddress,
    MemorySegment inferShapes,
    MemorySegment setInputConsumedEvent,
    MemorySegment setOutputAllocator,
    MemorySegment getMaxOutputSize,
    MemorySegment enqueueV3) {
  static ContextMethods of(NativeObject context, TensorRtVersion version) {
    MethodTable table =
        MethodTable.of(
            context.impl(),
            version,
            trt10_IExecutionContext.layout(),
            trt11_IExecutionContext.layout());
    return new ContextMethods(
        table.method("setName"),
        table.method("setOptimizationProfileAsync"),
        table.method("setInputShape"),
        table.method("getTensorShape"),
        table.method("setTensorAddress"),
        table.method("inferShapes"),
        table.method("setInputConsumedEvent"),
        table.method("setOutputAllocator"),
        table.method("getMaxOutputSize"),
        table.method("enqueueV3"));
  }
}
