package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.EngineTensor.Location;
import io.nereid.tensorrt.engine.EngineTensor.Mode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a plan becomes, in both major versions, against the double of libnvinfer. */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class EngineDoubleTest extends EngineUnderTest {
  EngineDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    super(version, cuda, nvinfer);
  }

  @Test
  void describesInputsAndOutputsInTheirOrder() {
    CudaEngine engine =
        gpu.engine(
            plan()
                .name("digits")
                .input("pixels", DataType.FP16, -1, 28, 28)
                .range("pixels", 0, Shape.of(1, 28, 28), Shape.of(4, 28, 28), Shape.of(8, 28, 28))
                .shapeInput("size", DataType.INT64, 2)
                .values("size", 0, Shape.of(1, 784), Shape.of(4, 784), Shape.of(8, 784))
                .output("flat", DataType.FP16, "reshape pixels size", -1, -1)
                .output("dims", DataType.INT64, "shape pixels", 3));

    assertThat(engine.name()).isEqualTo("digits");
    assertThat(engine.tensors())
        .containsExactly(
            new EngineTensor(
                0,
                "pixels",
                Mode.INPUT,
                DataType.FP16,
                Shape.of(-1, 28, 28),
                Location.DEVICE,
                false),
            new EngineTensor(
                1, "size", Mode.INPUT, DataType.INT64, Shape.of(2), Location.HOST, true),
            new EngineTensor(
                2, "flat", Mode.OUTPUT, DataType.FP16, Shape.of(-1, -1), Location.DEVICE, false),
            new EngineTensor(
                3, "dims", Mode.OUTPUT, DataType.INT64, Shape.of(3), Location.HOST, true));
  }

  @Test
  void knowsEachTypeThatTheProtocolHas() {
    var plan = plan();
    var types =
        List.of(
            DataType.FP32,
            DataType.FP16,
            DataType.BF16,
            DataType.INT8,
            DataType.UINT8,
            DataType.INT32,
            DataType.INT64,
            DataType.BOOL);
    types.forEach(type -> plan.input(type.name(), type, 4));
    plan.input("scalar", DataType.FP32);

    List<EngineTensor> tensors = gpu.engine(plan).tensors();

    assertThat(tensors.subList(0, types.size())).extracting(EngineTensor::type).isEqualTo(types);
    assertThat(tensors.getLast().dims()).isEqualTo(Shape.of());
  }

  @Test
  void refusesTypesThatTheProtocolDoesNotHave() {
    for (String type : List.of("FP8", "INT4", "FP4", "E8M0")) {
      assertThatThrownBy(() -> gpu.engine(plan().input("x", type, 4)))
          .isInstanceOf(TensorRtException.class)
          .hasMessage(
              "tensor 'x' has type %s, which the protocol does not have; build the plan with a cast"
                  + " to one of FP32, FP16, BF16, INT8, UINT8, INT32, INT64 and BOOL",
              type);
    }
    assertThat(cuda.live("ICudaEngine")).isZero();
  }

  @Test
  void refusesAFormatThatIsNotLinearInAnyProfile() {
    PlanText plan = plan().profiles(2).input("image", DataType.FP16, 1, 3, 8, 8);

    assertThatThrownBy(() -> gpu.engine(plan.format("image", 1, 2)))
        .isInstanceOf(TensorRtException.class)
        .hasMessage(
            "tensor 'image' has format HWC8 in profile 1; only LINEAR is supported: build the plan"
                + " with linear inputs and outputs, such as trtexec --inputIOFormats=fp32:chw"
                + " --outputIOFormats=fp32:chw");
    assertThat(cuda.live("ICudaEngine")).isZero();
  }

  @Test
  void knowsWhatEachProfileAllows() {
    CudaEngine engine =
        gpu.engine(
            plan()
                .profiles(2)
                .input("x", DataType.FP32, -1, 4)
                .range("x", 0, Shape.of(1, 4), Shape.of(2, 4), Shape.of(8, 4))
                .range("x", 1, Shape.of(8, 4), Shape.of(16, 4), Shape.of(32, 4))
                .shapeInput("s", DataType.INT32, 2)
                .values("s", 0, Shape.of(1, 4), Shape.of(2, 4), Shape.of(8, 4))
                .values("s", 1, Shape.of(8, 4), Shape.of(16, 4), Shape.of(32, 4))
                .input("constant", DataType.FP32, 3)
                .output("y", DataType.FP32, "reshape x s", -1, -1));

    assertThat(engine.profileCount()).isEqualTo(2);
    assertThat(engine.range(1, 0))
        .isEqualTo(
            new ProfileRange(Shape.of(8, 4), Shape.of(16, 4), Shape.of(32, 4), Optional.empty()));
    assertThat(engine.range(0, 1).values())
        .contains(new ProfileRange.Values(List.of(1L, 4L), List.of(2L, 4L), List.of(8L, 4L)));
    assertThat(engine.range(0, 2).max()).isEqualTo(Shape.of(3));
    assertThatIllegalArgumentException().isThrownBy(() -> engine.range(0, 3));
  }

  @Test
  void needsRangesOfDynamicInputsOnly() {
    cuda.failNext("ICudaEngine_getProfileShape", 1);
    assertThatThrownBy(() -> gpu.engine(PlanText.simple().version(version)))
        .isInstanceOf(TensorRtException.class)
        .hasMessage("the engine does not report the dimensions of input 'INPUT0' in profile 0");

    cuda.failNext("ICudaEngine_getProfileShape", 1);
    CudaEngine engine = gpu.engine(plan().input("x", DataType.FP32, 3));
    assertThat(engine.range(0, 0).min()).isEqualTo(Shape.of(3));
  }

  @Test
  void knowsTheMemoryOfContexts() {
    CudaEngine engine =
        gpu.engine(plan().profiles(2).memory(1024, 4096).input("x", DataType.FP32, 1));

    assertThat(engine.deviceMemoryBytes()).hasValue(4096);
    assertThat(engine.deviceMemoryBytes(0)).hasValue(1024);
  }

  @Test
  void explainsWhyAPlanIsRefused() {
    PlanText plan = PlanText.simple().version(version);

    assertThatThrownBy(() -> gpu.engine(plan.version(10_09_00)))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith(
            "IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion"
                + " stdVersionRead == kSERIALIZATION_VERSION failed.")
        .hasMessageEndingWith(
            " (the plan must be built with TensorRT %s for Double GPU 0)",
            new TensorRtVersion(version));
    assertThatThrownBy(() -> gpu.engine(plan.version(version).gpu("another GPU")))
        .hasMessageContaining("generated on an incompatible device");
    assertThatThrownBy(() -> gpu.engine(plan.gpu(NvinferDouble.GPU).corrupt()))
        .hasMessageContaining("magicTagRead == kMAGIC_TAG failed");
    assertThat(cuda.live("ICudaEngine")).isZero();
  }

  @Test
  void refusesCodeForTheHostUntilItIsAllowed() {
    PlanText plan = PlanText.simple().version(version).hostCode();

    assertThatThrownBy(() -> gpu.engine(plan)).hasMessageContaining("host code is not allowed");

    gpu.runtime.allowHostCode();
    assertThat(gpu.engine(plan).tensors()).hasSize(4);
  }

  @Test
  void failsForWantOfDeviceMemory() {
    cuda.setMemory(0, 1 << 20);

    assertThatThrownBy(() -> gpu.engine(PlanText.simple().version(version).weights(2 << 20)))
        .isInstanceOf(TensorRtException.class)
        .hasMessageContaining("OutOfMemory");

    CudaEngine engine = gpu.engine(PlanText.simple().version(version).memory(2 << 20));
    assertThatThrownBy(() -> engine.createContext(AllocationStrategy.STATIC))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("TensorRT created no IExecutionContext: ")
        .hasMessageContaining("OutOfMemory");
    assertThat(cuda.live("IExecutionContext")).isZero();
  }

  @Test
  void isClosedAfterItsContextsAndBeforeItsRuntime() {
    CudaEngine engine = gpu.engine(PlanText.simple().version(version));
    ExecutionContext context = gpu.context(engine);

    assertThatIllegalStateException()
        .isThrownBy(engine::close)
        .withMessage("ICudaEngine has 1 open objects that were made from it");
    assertThatIllegalStateException().isThrownBy(gpu.runtime::close);

    context.close();
    engine.close();
    engine.close();
    assertThat(cuda.live("ICudaEngine")).isZero();
  }

  @Test
  void itsContextsAreDeletedOneAtATime() {
    CudaEngine engine = gpu.engine(PlanText.simple().version(version));
    List<ExecutionContext> contexts = Stream.generate(() -> gpu.context(engine)).limit(16).toList();

    try (var threads = Executors.newFixedThreadPool(contexts.size())) {
      contexts.forEach(context -> threads.execute(context::close));
    }

    assertThat(cuda.live("IExecutionContext")).isZero(); // and the double has seen no violation
  }

  @Test
  void isNotUsedAfterItsClose() {
    CudaEngine engine = gpu.engine(PlanText.simple().version(version));
    engine.close();

    assertThatIllegalStateException()
        .isThrownBy(() -> engine.createContext(AllocationStrategy.STATIC))
        .withMessage("ICudaEngine is closed");
    assertThatIllegalStateException().isThrownBy(engine::deviceMemoryBytes);
    assertThat(engine.tensors()).hasSize(4);

    gpu.runtime.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> gpu.engine(PlanText.simple()))
        .withMessage("IRuntime is closed");
  }

  @Test
  void readsNoEntryThatAnOlderVersionDoesNotHave() {
    gpu.close();
    nvinfer.setVersion(10_00_00);
    gpu = new DoubleDevice();

    CudaEngine engine =
        gpu.engine(
            plan()
                .version(10_00_00)
                .memory(4096)
                .shapeInput("s", DataType.INT64, 1)
                .values("s", 0, Shape.of(1), Shape.of(2), Shape.of(8)));

    assertThat(engine.deviceMemoryBytes()).isEqualTo(OptionalLong.empty());
    assertThat(engine.deviceMemoryBytes(0)).isEqualTo(OptionalLong.empty());
    assertThat(engine.range(0, 0).values()).isEmpty();

    gpu.close();
    nvinfer.setVersion(10_10_00);
    gpu = new DoubleDevice();
    assertThat(gpu.engine(PlanText.simple().version(10_10_00).memory(4096)).deviceMemoryBytes())
        .hasValue(4096);
  }
}
