package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.IRuntime_deserializeCudaEngine;
import io.nereid.tensorrt.bindings.nvinfer.IRuntime_setEngineHostCodeAllowed;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IRuntime;
import io.nereid.tensorrt.bindings.nvinfer.trt11_IRuntime;
import java.lang.foreign.MemorySegment;

/**
 * Makes engines of plans, for the device that was current when the runtime was created. Usable from
 * any thread; it is closed after its engines.
 */
public final class InferenceRuntime implements AutoCloseable {
  private final TensorRt tensorRt;
  private final NativeObject runtime;
  private final MethodTable methods;
  private final String gpuName;

  InferenceRuntime(TensorRt tensorRt, NativeObject runtime, String gpuName) {
    this.tensorRt = tensorRt;
    this.runtime = runtime;
    this.methods =
        MethodTable.of(
            runtime.impl(), tensorRt.version(), trt10_IRuntime.layout(), trt11_IRuntime.layout());
    this.gpuName = gpuName;
  }

  /**
   * Allows plans with code for the host, which are those that were built to be compatible with
   * other versions. Such a plan can do whatever the process can, so it must come from a trusted
   * place.
   */
  public void allowHostCode() {
    IRuntime_setEngineHostCodeAllowed.invoke(
        methods.method("setEngineHostCodeAllowed"), runtime.impl(), true);
  }

  /**
   * Makes an engine. The runtime's device is current on this thread.
   *
   * @param plan native memory, borrowed: the engine keeps a copy
   * @throws TensorRtException if TensorRT refuses the plan, or an input or output is of a kind that
   *     this backend does not support
   */
  public CudaEngine deserialize(MemorySegment plan) {
    tensorRt.clearError();
    MemorySegment address =
        IRuntime_deserializeCudaEngine.invoke(
            methods.method("deserializeCudaEngine"), runtime.impl(), plan, plan.byteSize());
    if (NativeObject.isNull(address)) {
      throw new TensorRtException(
          "%s (the plan must be built with TensorRT %s for %s)"
              .formatted(tensorRt.lastError(), tensorRt.version(), gpuName));
    }
    NativeObject engine = NativeObject.take("ICudaEngine", address, runtime);
    try {
      return new CudaEngine(tensorRt, engine);
    } catch (RuntimeException | Error failure) {
      engine.close();
      throw failure;
    }
  }

  /**
   * Deletes the runtime. Has no effect if it is closed.
   *
   * @throws IllegalStateException if one of its engines is open
   */
  @Override
  public void close() {
    runtime.close();
  }
}
