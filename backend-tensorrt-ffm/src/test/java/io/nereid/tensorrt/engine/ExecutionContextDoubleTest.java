package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Inferences in both major versions, against the doubles of libcudart and libnvinfer. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class ExecutionContextDoubleTest {
  private static final int ALIGNMENT = 256;

  private final int version;
  private final CudartDouble cuda;
  private final NvinferDouble nvinfer;
  private DoubleDevice gpu;

  ExecutionContextDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    this.version = version;
    this.cuda = cuda;
    this.nvinfer = nvinfer;
  }

  @BeforeEach
  void open() {
    nvinfer.setVersion(version);
    gpu = new DoubleDevice();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  private PlanText plan() {
    return new PlanText().version(version);
  }

  /** A plan that doubles up to 8 numbers in profile 0, and 8 to 16 in profile 1. */
  private PlanText doubling() {
    return plan()
        .profiles(2)
        .memory(1024, 4096)
        .input("x", DataType.FP32, -1)
        .range("x", 0, Shape.of(1), Shape.of(4), Shape.of(8))
        .range("x", 1, Shape.of(8), Shape.of(8), Shape.of(16))
        .output("y", DataType.FP32, "scale x 2 0", -1);
  }

  /** A plan for the indices of the numbers in [2,3] that are not zero. */
  private PlanText nonzero() {
    return plan()
        .input("x", DataType.FP32, 2, 3)
        .output("where", DataType.INT64, "nonzero x", 2, -1);
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

  private DeviceBuffer enqueueDoubling(ExecutionContext context, float... values) {
    DeviceBuffer output = gpu.buffer(4L * values.length);
    context.setInputShape(0, new long[] {values.length, -7}, 1);
    context.setAddress(0, gpu.upload(values).address());
    context.setAddress(1, output.address());
    context.enqueue(gpu.stream);
    return output;
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
    Engine engine = gpu.engine(doubling());
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

  @Test
  void hasAnAllocatorGiveMemoryWhenTheShapeIsKnown() {
    ExecutionContext context = gpu.context(nonzero());
    DeviceBuffer output = gpu.buffer(96);
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
    DeviceBuffer output = gpu.buffer(96);
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
