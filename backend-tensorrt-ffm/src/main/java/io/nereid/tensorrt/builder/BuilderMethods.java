package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.trt10_IBuilder;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IBuilder;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRtVersion;
import java.lang.foreign.MemorySegment;

/** The addresses of the methods of {@code IBuilder}. */
record BuilderMethods(
    MemorySegment createBuilderConfig,
    MemorySegment createNetworkV2,
    MemorySegment createOptimizationProfile,
    MemorySegment buildSerializedNetwork) {
  static BuilderMethods of(NativeObject builder, TensorRtVersion version) {
    if (version.major() == 10) {
      MemorySegment table = builder.table(trt10_IBuilder.layout());
      return new BuilderMethods(
          trt10_IBuilder.createBuilderConfig(table),
          trt10_IBuilder.createNetworkV2(table),
          trt10_IBuilder.createOptimizationProfile(table),
          trt10_IBuilder.buildSerializedNetwork(table));
    }
    MemorySegment table = builder.table(trt11_IBuilder.layout());
    return new BuilderMethods(
        trt11_IBuilder.createBuilderConfig(table),
        trt11_IBuilder.createNetworkV2(table),
        trt11_IBuilder.createOptimizationProfile(table),
        trt11_IBuilder.buildSerializedNetwork(table));
  }
}
