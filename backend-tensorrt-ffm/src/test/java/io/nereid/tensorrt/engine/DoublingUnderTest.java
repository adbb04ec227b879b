package io.nereid.tensorrt.engine;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;

/** Contexts of a plan that doubles numbers. */
abstract class DoublingUnderTest extends EngineUnderTest {
  DoublingUnderTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    super(version, cuda, nvinfer);
  }

  /** A plan that doubles up to 8 numbers in profile 0, and 8 to 16 in profile 1. */
  PlanText doubling() {
    return plan()
        .profiles(2)
        .memory(1024, 4096)
        .input("x", DataType.FP32, -1)
        .range("x", 0, Shape.of(1), Shape.of(4), Shape.of(8))
        .range("x", 1, Shape.of(8), Shape.of(8), Shape.of(16))
        .output("y", DataType.FP32, "scale x 2 0", -1);
  }

  DeviceBuffer enqueueDoubling(ExecutionContext context, float... values) {
    DeviceBuffer output = gpu.buffer(4L * values.length);
    context.setInputShape(0, new long[] {values.length, -7}, 1);
    context.setAddress(0, gpu.upload(values).address());
    context.setAddress(1, output.address());
    context.enqueue(gpu.stream);
    return output;
  }
}
