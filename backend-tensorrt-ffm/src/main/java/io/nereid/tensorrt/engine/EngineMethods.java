package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt10_ICudaEngine;
import io.nereid.tensorrt.bindings.nvinfer.trt11_ICudaEngine;
import java.lang.foreign.MemorySegment;

/** The addresses of the methods of {@code ICudaEngine}. */
record EngineMethods(
    MemorySegment createExecutionContext,
    MemorySegment getName,
    MemorySegment getNbOptimizationProfiles,
    MemorySegment getTensorShape,
    MemorySegment getTensorDataType,
    MemorySegment getTensorLocation,
    MemorySegment isShapeInferenceIO,
    MemorySegment getTensorIOMode,
    MemorySegment getProfileShape,
    MemorySegment getNbIOTensors,
    MemorySegment getIOTensorName,
    MemorySegment getTensorFormatV2,
    MemorySegment getDeviceMemorySizeV2,
    MemorySegment getDeviceMemorySizeForProfileV2,
    MemorySegment getProfileTensorValuesV2) {
  static EngineMethods of(NativeObject engine, TensorRtVersion version) {
    boolean sizes = version.isAtLeast(TensorRtVersion.DEVICE_MEMORY_SIZE_V2);
    boolean values = version.isAtLeast(TensorRtVersion.PROFILE_TENSOR_VALUES_V2);
    if (version.major() == 10) {
      MemorySegment table = engine.table(trt10_ICudaEngine.layout());
      return new EngineMethods(
          trt10_ICudaEngine.createExecutionContext(table),
          trt10_ICudaEngine.getName(table),
          trt10_ICudaEngine.getNbOptimizationProfiles(table),
          trt10_ICudaEngine.getTensorShape(table),
          trt10_ICudaEngine.getTensorDataType(table),
          trt10_ICudaEngine.getTensorLocation(table),
          trt10_ICudaEngine.isShapeInferenceIO(table),
          trt10_ICudaEngine.getTensorIOMode(table),
          trt10_ICudaEngine.getProfileShape(table),
          trt10_ICudaEngine.getNbIOTensors(table),
          trt10_ICudaEngine.getIOTensorName(table),
          trt10_ICudaEngine.getTensorFormatV2(table),
          sizes ? trt10_ICudaEngine.getDeviceMemorySizeV2(table) : MemorySegment.NULL,
          sizes ? trt10_ICudaEngine.getDeviceMemorySizeForProfileV2(table) : MemorySegment.NULL,
          values ? trt10_ICudaEngine.getProfileTensorValuesV2(table) : MemorySegment.NULL);
    }
    MemorySegment table = engine.table(trt11_ICudaEngine.layout());
    return new EngineMethods(
        trt11_ICudaEngine.createExecutionContext(table),
        trt11_ICudaEngine.getName(table),
        trt11_ICudaEngine.getNbOptimizationProfiles(table),
        trt11_ICudaEngine.getTensorShape(table),
        trt11_ICudaEngine.getTensorDataType(table),
        trt11_ICudaEngine.getTensorLocation(table),
        trt11_ICudaEngine.isShapeInferenceIO(table),
        trt11_ICudaEngine.getTensorIOMode(table),
        trt11_ICudaEngine.getProfileShape(table),
        trt11_ICudaEngine.getNbIOTensors(table),
        trt11_ICudaEngine.getIOTensorName(table),
        trt11_ICudaEngine.getTensorFormatV2(table),
        trt11_ICudaEngine.getDeviceMemorySizeV2(table),
        trt11_ICudaEngine.getDeviceMemorySizeForProfileV2(table),
        trt11_ICudaEngine.getProfileTensorValuesV2(table));
  }
}
