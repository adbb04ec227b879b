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
    if (version.major() == 10) {
      MemorySegment table = context.table(trt10_IExecutionContext.layout());
      return new ContextMethods(
          trt10_IExecutionContext.setName(table),
          trt10_IExecutionContext.setOptimizationProfileAsync(table),
          trt10_IExecutionContext.setInputShape(table),
          trt10_IExecutionContext.getTensorShape(table),
          trt10_IExecutionContext.setTensorAddress(table),
          trt10_IExecutionContext.inferShapes(table),
          trt10_IExecutionContext.setInputConsumedEvent(table),
          trt10_IExecutionContext.setOutputAllocator(table),
          trt10_IExecutionContext.getMaxOutputSize(table),
          trt10_IExecutionContext.enqueueV3(table));
    }
    MemorySegment table = context.table(trt11_IExecutionContext.layout());
    return new ContextMethods(
        trt11_IExecutionContext.setName(table),
        trt11_IExecutionContext.setOptimizationProfileAsync(table),
        trt11_IExecutionContext.setInputShape(table),
        trt11_IExecutionContext.getTensorShape(table),
        trt11_IExecutionContext.setTensorAddress(table),
        trt11_IExecutionContext.inferShapes(table),
        trt11_IExecutionContext.setInputConsumedEvent(table),
        trt11_IExecutionContext.setOutputAllocator(table),
        trt11_IExecutionContext.getMaxOutputSize(table),
        trt11_IExecutionContext.enqueueV3(table));
  }
}
