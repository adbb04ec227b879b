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
    MethodTable table =
        MethodTable.of(
            engine.impl(), version, trt10_ICudaEngine.layout(), trt11_ICudaEngine.layout());
    return new EngineMethods(
        table.method("createExecutionContext"),
        table.method("getName"),
        table.method("getNbOptimizationProfiles"),
        table.method("getTensorShape"),
        table.method("getTensorDataType"),
        table.method("getTensorLocation"),
        table.method("isShapeInferenceIO"),
        table.method("getTensorIOMode"),
        table.method("getProfileShape"),
        table.method("getNbIOTensors"),
        table.method("getIOTensorName"),
        table.method("getTensorFormatV2"),
        sizes ? table.method("getDeviceMemorySizeV2") : MemorySegment.NULL,
        sizes ? table.method("getDeviceMemorySizeForProfileV2") : MemorySegment.NULL,
        values ? table.method("getProfileTensorValuesV2") : MemorySegment.NULL);
  }
}
