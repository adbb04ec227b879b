package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
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

/** The shapes of inferences in both major versions, against the doubles of the libraries. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class ContextShapesDoubleTest extends DoublingUnderTest {
  private static final int ALIGNMENT = 256;

  ContextShapesDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    super(version, cuda, nvinfer);
  }

  @Test
  void refusesAShapeThatTheProfileDoesNotAdmit() {
    ExecutionContext context = gpu.context(doubling());

    assertThatThrownBy(() -> context.setInputShape(0, Shape.of(9)))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("input 'x' cannot have shape [9]: ")
        .hasMessageEndingWith("Valid range for profile 0: [1]..[8].)");
    assertThatThrownBy(() -> context.setInputShape(0, Shape.of(2, 2)))
        .isInstanceOf(TensorRtException.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> context.setInputShape(0, Shape.of(1, 1, 1, 1, 1, 1, 1, 1, 1)));
  }

  @Test
  void usesAnotherProfileAndForgetsTheShapes() {
    CudaEngine engine = gpu.engine(doubling());
    ExecutionContext context = gpu.open(engine.createContext(AllocationStrategy.ON_PROFILE_CHANGE));
    long before = cuda.live("device bytes");
    context.setInputShape(0, Shape.of(4));

    context.setProfile(1, gpu.stream);

    assertThat(cuda.live("device bytes") - before).isEqualTo(4096 - 1024);
    assertThat(context.shape(0)).isEqualTo(Shape.of(-1));
    assertThat(context.inferShapes()).containsExactly("x");
    DeviceBuffer output =
        enqueueDoubling(context, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    assertThat(gpu.floats(output)).hasSize(16).endsWith(30, 32);
    assertThatThrownBy(() -> context.setProfile(2, gpu.stream))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("cannot use profile 2: ");
  }

  @Test
  void tellsWhatIsMissing() {
    ExecutionContext context = gpu.context(PlanText.simple().version(version));
    context.setInputShape(1, Shape.of(2, 16));

    assertThat(context.inferShapes()).containsExactly("INPUT0");
    assertThat(context.shape(2)).isEqualTo(Shape.of(-1, 16));
    assertThatThrownBy(() -> context.maxOutputSize(2))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("the size of output 'OUTPUT0' is not known");
    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("cannot enqueue the inference: ")
        .hasMessageContaining("not set for tensor INPUT0");

    context.setInputShape(0, Shape.of(2, 16));
    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .hasMessageContaining("Neither address nor allocator is set for tensor INPUT0");
    assertThat(context.maxOutputSize(2)).isGreaterThanOrEqualTo(128);
  }

  @Test
  void refusesInputsThatDoNotFitTogether() {
    ExecutionContext context = gpu.context(PlanText.simple().version(version));
    context.setInputShape(0, Shape.of(2, 16));
    context.setInputShape(1, Shape.of(3, 16));

    assertThatThrownBy(context::inferShapes)
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("cannot compute the shapes of the outputs: ")
        .hasMessageContaining("[2,16] and [3,16] do not fit");
  }

  @Test
  void readsShapeTensorsFromTheHost() {
    ExecutionContext context =
        gpu.context(
            plan()
                .input("x", DataType.FP32, 6)
                .shapeInput("s", DataType.INT64, 2)
                .values("s", 0, Shape.of(1, 1), Shape.of(2, 3), Shape.of(6, 6))
                .output("y", DataType.FP32, "reshape x s", -1, -1)
                .output("dims", DataType.INT64, "shape x", 1));
    MemorySegment values = gpu.arena.allocate(16, ALIGNMENT);
    values.setAtIndex(ValueLayout.JAVA_LONG, 0, 3);
    values.setAtIndex(ValueLayout.JAVA_LONG, 1, 2);
    MemorySegment dims = gpu.arena.allocate(8, ALIGNMENT);
    DeviceBuffer output = gpu.buffer(24);
    context.setAddress(0, gpu.upload(1f, 2f, 3f, 4f, 5f, 6f).address());
    context.setAddress(2, output.address());
    context.setAddress(3, dims);

    assertThat(context.inferShapes()).containsExactly("s");
    context.setAddress(1, values);
    assertThat(context.inferShapes()).isEmpty();
    assertThat(context.shape(2)).isEqualTo(Shape.of(3, 2));
    assertThat(dims.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(6);
    context.enqueue(gpu.stream);
    values.setAtIndex(ValueLayout.JAVA_LONG, 0, 99);

    assertThat(gpu.floats(output)).containsExactly(1, 2, 3, 4, 5, 6);
    assertThatThrownBy(() -> context.enqueue(gpu.stream))
        .hasMessageContaining("values of shape tensor s are not in the range of profile 0");
  }
}
