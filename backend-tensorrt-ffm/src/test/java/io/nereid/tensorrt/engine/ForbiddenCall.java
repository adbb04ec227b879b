package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvinfer.trt10_IRuntime;
import io.nereid.tensorrt.bindings.nvinfer.trt_delete;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.doubles.NvinferDouble;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A program that calls a slot of a runtime, which the double must not allow: {@code ForbiddenCall
 * VERSION SLOT}. The slot of a method that may be called is called after the deletion.
 */
final class ForbiddenCall {
  private static final int DESERIALIZE = 3;

  private ForbiddenCall() {}

  public static void main(String[] arguments) {
    NvinferDouble.get().setVersion(Integer.parseInt(arguments[0]));
    int slot = Integer.parseInt(arguments[1]);
    CudaDevice.of(0).use();
    NativeObject runtime =
        NativeObject.take(
            "IRuntime",
            Nvinfer.createInferRuntime_INTERNAL(
                TensorRt.open(1).logger(), Integer.parseInt(arguments[0])),
            null);
    MemorySegment impl = runtime.impl();
    MethodTable table =
        MethodTable.of(
            impl, new TensorRtVersion(10_00_00), trt10_IRuntime.layout(), trt10_IRuntime.layout());
    MemorySegment method = table.entries().getAtIndex(ValueLayout.ADDRESS, slot);
    if (slot == DESERIALIZE) {
      runtime.close();
    }
    trt_delete.invoke(
        method, impl); // the form void (void *) is that of any method's first argument
  }
}
