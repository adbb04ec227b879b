package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.trt10_IBuilderConfig;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IBuilderConfig;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRtVersion;
import java.lang.foreign.MemorySegment;

/** The addresses of the methods of {@code IBuilderConfig}. */
record ConfigMethods(
    MemorySegment clearFlag,
    MemorySegment setFlag,
    MemorySegment addOptimizationProfile,
    MemorySegment createTimingCache,
    MemorySegment setTimingCache,
    MemorySegment getTimingCache,
    MemorySegment setMemoryPoolLimit,
    MemorySegment setBuilderOptimizationLevel,
    MemorySegment setProgressMonitor) {
  static ConfigMethods of(NativeObject config, TensorRtVersion version) {
    if (version.major() == 10) {
      MemorySegment table = config.table(trt10_IBuilderConfig.layout());
      return new ConfigMethods(
          trt10_IBuilderConfig.clearFlag(table),
          trt10_IBuilderConfig.setFlag(table),
          trt10_IBuilderConfig.addOptimizationProfile(table),
          trt10_IBuilderConfig.createTimingCache(table),
          trt10_IBuilderConfig.setTimingCache(table),
          trt10_IBuilderConfig.getTimingCache(table),
          trt10_IBuilderConfig.setMemoryPoolLimit(table),
          trt10_IBuilderConfig.setBuilderOptimizationLevel(table),
          trt10_IBuilderConfig.setProgressMonitor(table));
    }
    MemorySegment table = config.table(trt11_IBuilderConfig.layout());
    return new ConfigMethods(
        trt11_IBuilderConfig.clearFlag(table),
        trt11_IBuilderConfig.setFlag(table),
        trt11_IBuilderConfig.addOptimizationProfile(table),
        trt11_IBuilderConfig.createTimingCache(table),
        trt11_IBuilderConfig.setTimingCache(table),
        trt11_IBuilderConfig.getTimingCache(table),
        trt11_IBuilderConfig.setMemoryPoolLimit(table),
        trt11_IBuilderConfig.setBuilderOptimizationLevel(table),
        trt11_IBuilderConfig.setProgressMonitor(table));
  }
}
