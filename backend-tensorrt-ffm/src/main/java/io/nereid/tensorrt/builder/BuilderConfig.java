package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_addOptimizationProfile;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_clearFlag;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_createTimingCache;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_getTimingCache;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_setBuilderOptimizationLevel;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_setFlag;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_setMemoryPoolLimit;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_setProgressMonitor;
import io.nereid.tensorrt.bindings.nvinfer.IBuilderConfig_setTimingCache;
import io.nereid.tensorrt.bindings.nvinfer.ITimingCache_serialize;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IBuilderConfig;
import io.nereid.tensorrt.bindings.nvinfer.trt10_ITimingCache;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IBuilderConfig;
import io.nereid.tensorrt.bindings.nvinfer.trt11_ITimingCache;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.MemorySegment;

/** {@code nvinfer1::IBuilderConfig}: how a plan is built. */
public final class BuilderConfig implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject config;
  private final MethodTable methods;

  BuilderConfig(TensorRt tensorRt, NativeObject config) {
    this.tensorRt = tensorRt;
    this.config = config;
    this.methods =
        MethodTable.of(
            config.impl(),
            tensorRt.version(),
            trt10_IBuilderConfig.layout(),
            trt11_IBuilderConfig.layout());
  }

  MemorySegment address() {
    return config.address();
  }

  /**
   * Sets or clears a flag.
   *
   * @throws IllegalArgumentException if the loaded version has no such flag
   */
  public void setFlag(BuilderFlag flag, boolean on) {
    int number =
        flag.number(tensorRt.version())
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "TensorRT %s has no flag %s".formatted(tensorRt.version(), flag)));
    if (on) {
      IBuilderConfig_setFlag.invoke(methods.method("setFlag"), config.impl(), number);
    } else {
      IBuilderConfig_clearFlag.invoke(methods.method("clearFlag"), config.impl(), number);
    }
  }

  /** Limits the device memory that a kernel may use for intermediate results. */
  public void setWorkspaceLimit(long byteSize) {
    IBuilderConfig_setMemoryPoolLimit.invoke(
        methods.method("setMemoryPoolLimit"), config.impl(), Nvinfer.kWORKSPACE(), byteSize);
  }

  /** How long the builder may search, from 0 to 5. */
  public void setOptimizationLevel(int level) {
    IBuilderConfig_setBuilderOptimizationLevel.invoke(
        methods.method("setBuilderOptimizationLevel"), config.impl(), level);
  }

  /**
   * Adds a profile.
   *
   * @return its index
   * @throws TensorRtException if TensorRT refuses it
   */
  public int addProfile(OptimizationProfile profile) {
    tensorRt.clearError();
    int index =
        IBuilderConfig_addOptimizationProfile.invoke(
            methods.method("addOptimizationProfile"), config.impl(), profile.address());
    if (index < 0) {
      throw tensorRt.failure("TensorRT refuses a profile");
    }
    return index;
  }

  /**
   * Sets what is told of the progress of a build.
   *
   * @param monitor closed after the builder
   */
  public void setProgressMonitor(ProgressMonitor monitor) {
    IBuilderConfig_setProgressMonitor.invoke(
        methods.method("setProgressMonitor"), config.impl(), monitor.address());
  }

  /**
   * Creates a timing cache.
   *
   * @param content as {@link #serializeTimingCache} returned it once; empty for a cache without
   *     timings
   * @return an {@code ITimingCache}, which is closed after the builder
   * @throws TensorRtException if TensorRT cannot read the content
   */
  public NativeObject createTimingCache(MemorySegment content) {
    tensorRt.clearError();
    MemorySegment address =
        IBuilderConfig_createTimingCache.invoke(
            methods.method("createTimingCache"),
            config.impl(),
            content.byteSize() == 0 ? MemorySegment.NULL : content,
            content.byteSize());
    return tensorRt.take("ITimingCache", address, null);
  }

  /**
   * Uses a timing cache.
   *
   * @return whether it fits the device; another one is not used
   */
  public boolean setTimingCache(NativeObject cache) {
    boolean ignoreMismatch = false; // timings of another device lead to slow kernels
    return IBuilderConfig_setTimingCache.invoke(
        methods.method("setTimingCache"), config.impl(), cache.address(), ignoreMismatch);
  }

  /**
   * The content of the timing cache after a build.
   *
   * @throws TensorRtException if there is none, or TensorRT does not return it
   */
  public HostMemory serializeTimingCache() {
    tensorRt.clearError();
    MemorySegment address =
        IBuilderConfig_getTimingCache.invoke(methods.method("getTimingCache"), config.impl());
    if (NativeObject.isNull(address)) {
      throw tensorRt.failure("TensorRT returned no timing cache");
    }
    Borrowed cache = Borrowed.of(address);
    MethodTable ofCache =
        MethodTable.of(
            cache.impl(),
            tensorRt.version(),
            trt10_ITimingCache.layout(),
            trt11_ITimingCache.layout());
    return HostMemory.take(
        tensorRt, ITimingCache_serialize.invoke(ofCache.method("serialize"), cache.impl()));
  }

  @Override
  public void close() {
    config.close();
  }
}
