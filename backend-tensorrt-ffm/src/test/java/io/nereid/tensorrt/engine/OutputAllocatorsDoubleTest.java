package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs whose shape depends on values, against the doubles of the libraries. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class OutputAllocatorsDoubleTest extends EngineUnderTest {
  private static final int ALIGNMENT = 512;

  OutputAllocatorsDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    super(version, cuda, nvinfer);
  }

  /** A plan for the indices of the numbers in [2,3] that are not zero. */
  private PlanText nonzero() {
    return plan()
        .input("x", DataType.FP32, 2, 3)
        .output("where", DataType.INT64, "nonzero x", 2, -1);
  }

  @Test
  void hasAnAllocatorGiveMemoryWhenTheShapeIsKnown() {
    ExecutionContext context = gpu.context(nonzero());
    DeviceBuffer output = gpu.alignedBuffer();
    context.setAddress(0, gpu.upload(0f, 5f, 0f, 7f, 0f, 9f).address());
    long[] asked = new long[3];
    context.setOutputAllocator(
        1,
        (tensor, byteSize, alignment) -> {
          asked[0] = tensor;
          asked[1] = byteSize;
          asked[2] = alignment;
          return output.address();
        });
    assertThat(context.shape(1)).isEqualTo(Shape.of(2, -1));
    assertThat(context.maxOutputSize(1)).isGreaterThanOrEqualTo(96);

    context.enqueue(gpu.stream);

    assertThat(asked).containsExactly(1, 2 * 3 * 8, ALIGNMENT);
    long[] dims = new long[8];
    assertThat(context.readShape(1, dims)).isEqualTo(2);
    assertThat(dims).startsWith(2, 3);
    assertThat(gpu.download(output).asSlice(0, 48).toArray(ValueLayout.JAVA_LONG))
        .containsExactly(0, 1, 1, 1, 0, 2);
  }

  @Test
  void forgetsTheShapeOfTheInferenceBefore() {
    ExecutionContext context = gpu.context(nonzero());
    DeviceBuffer output = gpu.alignedBuffer();
    context.setOutputAllocator(1, (_, _, _) -> output.address());
    context.setAddress(0, gpu.upload(0f, 5f, 0f, 7f, 0f, 9f).address());
    context.enqueue(gpu.stream);
    context.setAddress(0, gpu.upload(0f, 0f, 0f, 0f, 0f, 0f).address());

    context.enqueue(gpu.stream);
    assertThat(context.shape(1)).isEqualTo(Shape.of(2, 0));

    context.setOutputAllocator(1, null);
    assertThat(context.shape(1)).isEqualTo(Shape.of(2, -1));
  }

  @Test
  void failsWithWhatAnAllocatorThrows() {
    ExecutionContext context = gpu.context(nonzero());
    context.setAddress(0, gpu.upload(1f, 2f, 3f, 4f, 5f, 6f).address());
    var planted = new AssertionError("planted");
    context.setOutputAllocator(
        1,
        (_, _, _) -> {
          throw planted;
        });

    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .isInstanceOf(TensorRtException.class)
        .hasMessageContaining("The allocator has no memory")
        .hasCause(planted);

    context.setOutputAllocator(1, (_, _, _) -> MemorySegment.NULL);
    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .hasMessageContaining("The allocator has no memory")
        .hasNoCause();
  }
}
