package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.ValueLayout;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Failures of each method at each of its calls, against the doubles: they become exceptions with
 * TensorRT's text, and every object is deleted.
 */
@ParameterizedClass
@ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
@UsesDoubles
final class PlantedFaultDoubleTest {
  private final int version;
  private final CudartDouble cuda;
  private final NvinferDouble nvinfer;

  PlantedFaultDoubleTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    this.version = version;
    this.cuda = cuda;
    this.nvinfer = nvinfer;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "createInferRuntime",
        "IRuntime_deserializeCudaEngine",
        "IRuntime_setEngineHostCodeAllowed",
        "ICudaEngine_createExecutionContext",
        "ICudaEngine_getNbOptimizationProfiles",
        "ICudaEngine_getTensorShape",
        "ICudaEngine_getTensorDataType",
        "ICudaEngine_getTensorLocation",
        "ICudaEngine_getTensorIOMode",
        "ICudaEngine_getNbIOTensors",
        "ICudaEngine_getIOTensorName",
        "ICudaEngine_getTensorFormatV2",
        "IExecutionContext_setOptimizationProfileAsync",
        "IExecutionContext_setInputShape",
        "IExecutionContext_getTensorShape",
        "IExecutionContext_setTensorAddress",
        "IExecutionContext_inferShapes",
        "IExecutionContext_setInputConsumedEvent",
        "IExecutionContext_setOutputAllocator",
        "IExecutionContext_getMaxOutputSize",
        "IExecutionContext_enqueueV3"
      })
  void aFailureOfAMethodThatCanFailIsAnException(String method) {
    nvinfer.setVersion(version);
    runs();
    long calls = cuda.calls(method);
    var before = new TreeMap<>(cuda.live());
    assertThat(calls).isPositive();

    for (long call = 0; call < calls; call++) {
      cuda.fail(method, call, 1, 1);

      assertThat(runs()).as("%s fails at call %d", method, call).isFalse();

      assertThat(cuda.live()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ICudaEngine_getName",
        "ICudaEngine_getDeviceMemorySizeV2",
        "ICudaEngine_getDeviceMemorySizeForProfileV2",
        "ICudaEngine_getProfileTensorValuesV2",
        "IExecutionContext_setName"
      })
  void aFailureToDescribeAnEngineDoesNotKeepItFromRunning(String method) {
    nvinfer.setVersion(version);
    runs();
    long calls = cuda.calls(method);
    assertThat(calls).isPositive();

    for (long call = 0; call < calls; call++) {
      cuda.fail(method, call, 1, 1);

      assertThat(runs()).as("%s fails at call %d", method, call).isTrue();
    }
  }

  /** Calls every method once or more; false if one has failed with an exception. */
  private boolean runs() {
    try (var gpu = new DoubleDevice()) {
      infer(gpu);
      return true;
    } catch (TensorRtException failure) {
      assertThat(failure).message().isNotBlank();
      return false;
    }
  }

  private void infer(DoubleDevice gpu) {
    gpu.runtime.allowHostCode();
    CudaEngine engine =
        gpu.engine(
            new PlanText()
                .version(version)
                .hostCode()
                .profiles(2)
                .input("x", DataType.FP32, -1)
                .range("x", 0, Shape.of(1), Shape.of(4), Shape.of(8))
                .range("x", 1, Shape.of(1), Shape.of(8), Shape.of(16))
                .shapeInput("s", DataType.INT64, 1)
                .values("s", 0, Shape.of(1), Shape.of(4), Shape.of(8))
                .values("s", 1, Shape.of(1), Shape.of(4), Shape.of(8))
                .output("y", DataType.FP32, "reshape x s", -1)
                .output("where", DataType.INT64, "nonzero x", 1, -1));
    assertThat(engine.deviceMemoryBytes().orElse(0) + engine.deviceMemoryBytes(1).orElse(0))
        .isZero();
    ExecutionContext context = gpu.context(engine);
    context.setName("context");
    context.setProfile(1, gpu.stream);
    context.setInputConsumedEvent(gpu.open(CudaEvent.create(false, false)));
    var four = gpu.arena.allocate(8, 256);
    four.set(ValueLayout.JAVA_LONG, 0, 4);
    DeviceBuffer y = gpu.buffer(16);
    DeviceBuffer where = gpu.alignedBuffer();
    context.setInputShape(0, Shape.of(4));
    context.setAddress(0, gpu.upload(0f, 2f, 3f, 0f).address());
    context.setAddress(1, four);
    context.setAddress(2, y.address());
    context.setOutputAllocator(3, (_, _, _) -> where.address());
    assertThat(context.inferShapes()).isEmpty();
    assertThat(context.shape(2)).isEqualTo(Shape.of(4));
    assertThat(context.maxOutputSize(3)).isGreaterThanOrEqualTo(32);

    context.enqueue(gpu.stream);

    assertThat(gpu.floats(y)).containsExactly(0, 2, 3, 0);
    assertThat(context.shape(3)).isEqualTo(Shape.of(1, 2));
  }
}
