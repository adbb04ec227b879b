package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.HeapAllocation;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an inference allocates on the Java heap, against the doubles. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@Tag("allocation")
@UsesDoubles
final class AllocationDoubleTest {
  private static final int INFERENCES = 500;

  private final int version;
  private final NvinferDouble nvinfer;

  AllocationDoubleTest(int version, NvinferDouble nvinfer) {
    this.version = version;
    this.nvinfer = nvinfer;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInferenceAllocatesNothingOnceItIsCompiled(boolean withAllocator) {
    nvinfer.setVersion(version);
    try (var gpu = new DoubleDevice()) {
      ExecutionContext context = gpu.context(PlanText.simple().version(version));
      Shape shape = Shape.of(1, 16);
      DeviceBuffer[] buffers = new DeviceBuffer[4];
      for (int i = 0; i < buffers.length; i++) {
        buffers[i] = gpu.upload(new int[16]);
      }
      CudaEvent consumed = gpu.open(CudaEvent.create(false, false));
      long[] dims = new long[8];
      if (withAllocator) {
        buffers[3] = gpu.alignedBuffer();
        context.setOutputAllocator(3, (tensor, _, _) -> buffers[tensor].address());
      }

      assertThat(
              HeapAllocation.least(
                  INFERENCES, 0, () -> infer(gpu, context, shape, buffers, consumed, dims)))
          .isZero();
      context.setInputConsumedEvent(null);
    }
  }

  private static void infer(
      DoubleDevice gpu,
      ExecutionContext context,
      Shape shape,
      DeviceBuffer[] buffers,
      CudaEvent consumed,
      long[] dims) {
    context.setInputConsumedEvent(consumed);
    for (int tensor = 0; tensor < buffers.length; tensor++) {
      if (tensor < 2) {
        context.setInputShape(tensor, shape);
      }
      context.setAddress(tensor, buffers[tensor].address());
    }
    if (!context.inferShapes().isEmpty()
        || context.maxOutputSize(2) < 64
        || context.readShape(2, dims) != 2) {
      throw new AssertionError("the shapes are not known");
    }
    context.enqueue(gpu.stream);
    gpu.stream.synchronize();
  }
}
