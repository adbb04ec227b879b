package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaGraph;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Inferences in both major versions, against the doubles of libcudart and libnvinfer. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class ExecutionContextDoubleTest extends DoublingUnderTest {
  ExecutionContextDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    super(version, cuda, nvinfer);
  }

  @Test
  void addsAndSubtractsTwoInputs() {
    ExecutionContext context = gpu.context(PlanText.simple().version(version));
    int[] left = IntStream.range(0, 32).toArray();
    int[] right = IntStream.range(0, 32).map(i -> i % 5).toArray();
    DeviceBuffer sum = gpu.buffer(128);
    DeviceBuffer difference = gpu.buffer(128);

    context.setInputShape(0, Shape.of(2, 16));
    context.setInputShape(1, Shape.of(2, 16));
    context.setAddress(0, gpu.upload(left).address());
    context.setAddress(1, gpu.upload(right).address());
    context.setAddress(2, sum.address());
    context.setAddress(3, difference.address());
    assertThat(context.inferShapes()).isEmpty();
    assertThat(context.shape(2)).isEqualTo(Shape.of(2, 16));
    context.enqueue(gpu.stream);

    assertThat(gpu.ints(sum))
        .containsExactly(IntStream.range(0, 32).map(i -> left[i] + right[i]).toArray());
    assertThat(gpu.ints(difference))
        .containsExactly(IntStream.range(0, 32).map(i -> left[i] - right[i]).toArray());
  }

  @Test
  void computesOnlyWhenTheStreamIsSynchronised() {
    ExecutionContext context = gpu.context(doubling());
    DeviceBuffer output = enqueueDoubling(context, 1, 2, 3);
    MemorySegment host = gpu.arena.allocate(12, 4);
    gpu.stream.copyToHost(host, output, 0, 12);
    float before = host.get(ValueLayout.JAVA_FLOAT, 0);

    gpu.stream.synchronize();

    assertThat(before).isZero();
    assertThat(host.toArray(ValueLayout.JAVA_FLOAT)).containsExactly(2, 4, 6);
  }

  @Test
  void keepsShapesAndAddressesOfAnInferenceThatIsEnqueued() {
    ExecutionContext context = gpu.context(doubling());

    DeviceBuffer first = enqueueDoubling(context, 1, 2);
    DeviceBuffer second = enqueueDoubling(context, 3, 4, 5);

    assertThat(gpu.floats(first)).containsExactly(2, 4);
    assertThat(gpu.floats(second)).containsExactly(6, 8, 10);
  }

  @Test
  void refusesAnAddressThatIsNotAligned() {
    ExecutionContext context = gpu.context(doubling());
    DeviceBuffer buffer = gpu.buffer(512);

    assertThatThrownBy(
            () -> context.setAddress(0, MemorySegment.ofAddress(buffer.address().address() + 4)))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("cannot set the address of 'x': ");
  }

  @Test
  void recordsAnEventOnceTheInputsAreRead() {
    ExecutionContext context = gpu.context(doubling());
    CudaEvent consumed = gpu.open(CudaEvent.create(false, false));
    context.setInputConsumedEvent(consumed);
    DeviceBuffer input = gpu.upload(1f, 2f);
    DeviceBuffer output = gpu.buffer(8);
    context.setInputShape(0, Shape.of(2));
    context.setAddress(0, input.address());
    context.setAddress(1, output.address());

    cuda.setOperationsPerQuery(0);
    context.enqueue(gpu.stream);
    assertThat(consumed.isComplete()).isFalse();
    consumed.synchronize();
    assertThat(consumed.isComplete()).isTrue();
    assertThat(gpu.stream.isIdle()).isFalse();

    assertThat(gpu.floats(output)).containsExactly(2, 4);
    context.setInputConsumedEvent(null);
  }

  @Test
  void failsWhenTensorRtDoes() {
    ExecutionContext context =
        gpu.context(plan().input("x", DataType.FP32, 2).output("y", DataType.FP32, "fail", 2));
    context.setAddress(0, gpu.upload(1f, 2f).address());
    context.setAddress(1, gpu.buffer(8).address());

    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .isInstanceOf(TensorRtException.class)
        .hasMessageContaining("It fails as planned");
  }

  @Test
  void isCapturedInAGraphWithItsAddresses() {
    ExecutionContext context = gpu.context(doubling());
    DeviceBuffer input = gpu.upload(1f, 2f);
    DeviceBuffer output = gpu.buffer(8);
    context.setInputShape(0, Shape.of(2));
    context.setAddress(0, input.address());
    context.setAddress(1, output.address());
    gpu.stream.synchronize();

    try (var graph = CudaGraph.capture(gpu.stream, () -> context.enqueue(gpu.stream))) {
      graph.launch(gpu.stream);
      assertThat(gpu.floats(output)).containsExactly(2, 4);

      gpu.stream.copyOnDevice(input, 0, output, 0, 8);
      graph.launch(gpu.stream);
      assertThat(gpu.floats(output)).containsExactly(4, 8);
    }
  }

  @Test
  void isNotUsedAfterItsClose() {
    ExecutionContext context = gpu.context(doubling());
    context.setName("instance 0");

    context.close();
    context.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> context.enqueue(gpu.stream))
        .withMessage("IExecutionContext is closed");
    assertThatIllegalStateException().isThrownBy(() -> context.setName("again"));
    assertThatIllegalStateException().isThrownBy(() -> context.setInputShape(0, Shape.of(1)));
    assertThatIllegalStateException().isThrownBy(() -> context.shape(0));
    assertThatIllegalStateException().isThrownBy(context::inferShapes);
    assertThatIllegalStateException().isThrownBy(() -> context.setOutputAllocator(1, null));
    assertThat(cuda.live("IExecutionContext")).isZero();
  }
}
