package io.nereid.tensorrt;

import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.context;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.floats;
import static io.nereid.tensorrt.TestPlans.rows;
import static io.nereid.tensorrt.TestPlans.underTest;
import static io.nereid.tensorrt.TestPlans.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.InstanceSettings.Kind;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.CapturedLog;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files, devices and options, with the doubles. */
@UsesDoubles
class TensorRtModelDoubleTest {
  private final CudartDouble cuda;

  TensorRtModelDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ModelConfig named(String defaultFile, Map<String, String> byCapability) {
    return bare("m").toBuilder()
        .platform("tensorrt_plan")
        .defaultModelFilename(defaultFile)
        .computeCapabilityFilenames(byCapability)
        .build();
  }

  private static ModelConfig complete(ModelFiles files, ModelConfig config) {
    try (var backend = new TensorRtBackendProvider().open(context(Map.of()))) {
      return backend.complete(files, config);
    }
  }

  @Test
  void aPlanNeedsNoConfiguration() {
    try (var served = ServedModel.open(underTest("m", doubling(4)))) {
      assertThat(served.config().maxBatchSize()).isEqualTo(8);
      assertThat(served.config().inputs())
          .containsExactly(TensorConfig.of("IN", DataType.FP32, Shape.of(4)));
      assertThat(served.config().scheduling()).isEqualTo(BatchingSettings.of(List.of(8), 0));
    }
  }

  @Test
  void theFileIsThatOfTheComputeCapability() {
    var capability = CudaDevice.of(0).computeCapability();
    var files = TestPlans.files("m", "special.plan", doubling(4));

    assertThat(
            complete(files, named("absent.plan", Map.of(capability, "special.plan")))
                .maxBatchSize())
        .isEqualTo(8);
    assertThat(complete(files, named("special.plan", Map.of("1.0", "absent.plan"))).maxBatchSize())
        .isEqualTo(8);
    assertThatThrownBy(() -> complete(files, named("", Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageStartingWith("unable to find '")
        .hasMessageEndingWith("1/model.plan' for model 'm'");
  }

  @ParameterizedTest
  @EnumSource(names = {"KIND_CPU", "KIND_MODEL"})
  void instancesRunOnGpusOnly(Kind kind) {
    var gpu = underTest("m", doubling(4));
    var other =
        new BackendUnderTest(gpu.provider(), gpu.context(), gpu.files(), gpu.config(), kind);

    assertThatThrownBy(() -> ServedModel.open(other).close())
        .hasMessage("unable to load model 'm', TensorRT backend supports only GPU device");
  }

  @Test
  void theGpusAreThoseOfCuda() {
    cuda.setDevices(3);
    try (var backend = new TensorRtBackendProvider().open(context(Map.of()))) {
      assertThat(backend.gpus()).containsExactly(0, 1, 2);
    }
  }

  @Test
  void instancesOfADeviceShareItsEngine() {
    cuda.setDevices(2);
    var tested = underTest("m", doubling(4));
    try (var backend = tested.provider().open(tested.context())) {
      var config = backend.complete(tested.files(), tested.config());
      try (var model = backend.load(tested.files(), config)) {
        var instances =
            List.of(0, 0, 1).stream()
                .map(gpu ->
                    model.open(new InstanceSettings("i", Kind.KIND_GPU, gpu, List.of(), false)))
                .toList();
        assertThat(cuda.live("ICudaEngine")).isEqualTo(2);
        assertThat(cuda.live("IExecutionContext")).isEqualTo(3);
        instances.forEach(ModelInstance::close);
      }
    }
  }

  @Test
  void enginesOfSeveralDevicesAreLoadedAtTheSameTime() {
    cuda.setDevices(2);
    try (var served = new ConcurrentInstances(underTest("m", doubling(4)));
        var gate = new Gate("TensorRT: Deserialization of an engine begins");
        var _ = CapturedLog.of("io.nereid.tensorrt").andTell(gate::pass)) {
      var loading = served.runner(0).open();
      gate.awaitArrival();
      var sharing = served.runner(0).open();

      ConcurrentInstances.get(served.runner(1).open());

      assertThat(cuda.live("IExecutionContext")).isEqualTo(1);
      gate.open();
      ConcurrentInstances.get(loading);
      ConcurrentInstances.get(sharing);
      assertThat(cuda.live("ICudaEngine")).isEqualTo(2);
      assertThat(cuda.live("IExecutionContext")).isEqualTo(3);
    }
  }

  @Test
  void reportsTheMemoryOfEngineContextsAndBuffers() {
    var plan = doubling(4).weights(1 << 20).memory(4096);
    try (var served = ServedModel.open(underTest("m", plan))) {
      long idle = usage(served);
      assertThat(idle).isEqualTo((1 << 20) + 4096);

      var flight = served.execute(List.of(List.of(rows("IN", 8, 4, 1))));

      assertThat(floats(flight.output(0, "OUT"))).containsOnly(2);
      assertThat(usage(served)).isEqualTo(idle + 512 + 512);
    }
  }

  private static long usage(ServedModel served) {
    assertThat(served.model().memoryUsage())
        .extracting(MemoryUsage::type, MemoryUsage::id)
        .containsExactly(tuple("GPU", 0L));
    return served.model().memoryUsage().getFirst().byteSize();
  }

  @Test
  void theAllocationStrategyIsAParameter() {
    var plan =
        new PlanText()
            .profiles(2)
            .memory(1000, 5000)
            .input("IN", DataType.FP32, -1, 4)
            .range("IN", 0, Shape.of(1, 4), Shape.of(1, 4), Shape.of(4, 4))
            .range("IN", 1, Shape.of(4, 4), Shape.of(8, 4), Shape.of(16, 4))
            .output("OUT", DataType.FP32, "scale IN 2 0", -1, 4);
    var key = "execution_context_allocation_strategy";
    try (var served =
        ServedModel.open(underTest(with(bare("m"), Map.of(key, "STATIC")), plan, Map.of()))) {
      assertThat(usage(served)).isEqualTo(5000);
    }
    var onChange = with(bare("m"), Map.of(key, "ON_PROFILE_CHANGE"));
    try (var served = ServedModel.open(underTest(onChange, plan, Map.of()))) {
      assertThat(usage(served)).isEqualTo(1000);
    }
    var unknown = with(bare("m"), Map.of(key, "LAZY"));
    assertThatThrownBy(() -> ServedModel.open(underTest(unknown, plan, Map.of())).close())
        .hasMessage(
            "Invalid value for 'execution_context_allocation_strategy': 'LAZY' for model 'm'."
                + " Supported values are 'STATIC' and 'ON_PROFILE_CHANGE'.");
  }

  @Test
  void plansWithCodeForTheHostAreOpenedIfTheOperatorSaysSo() {
    var plan = doubling(4).hostCode();
    assertThatThrownBy(() -> ServedModel.open(underTest("m", plan)).close())
        .hasMessageContaining("engine host code is not allowed");
    try (var served =
        ServedModel.open(underTest(bare("m"), plan, Map.of("version-compatible", "true")))) {
      assertThat(served.config().maxBatchSize()).isEqualTo(8);
    }
  }

  @Test
  void codeForTheHostInAPlanOfAClientIsNeverRun() {
    var tested = underTest(bare("m"), doubling(4).hostCode(), Map.of("version-compatible", "true"));
    ModelFiles files = tested.files();
    var sent =
        new BackendUnderTest(
            tested.provider(),
            tested.context(),
            new ModelFiles(files.modelDirectory(), files.version(), ModelFiles.Trust.CLIENT),
            tested.config(),
            tested.device());

    assertThatThrownBy(() -> ServedModel.open(sent).close())
        .hasMessageContaining("engine host code is not allowed");
  }

  @Test
  void aPlanOfAnotherVersionIsRefusedWithTensorRtsReasonAndTheCure() {
    var plan = doubling(4).version(NvinferDouble.VERSION_11);
    assertThatThrownBy(() -> ServedModel.open(underTest("m", plan)).close())
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("failed to load model 'm' from '")
        .hasMessageContaining("Version tag does not match")
        .hasMessageContaining("the plan must be built with TensorRT 10.15.1 for Double GPU 0");
  }

  @Test
  void typesAndFormatsThatRequestsCannotHaveAreRefused() {
    var fp8 = new PlanText().input("IN", "FP8", 4).output("OUT", DataType.FP32, "identity IN", 4);
    assertThatThrownBy(() -> ServedModel.open(underTest("m", fp8)).close())
        .hasMessageContaining("'m'")
        .hasMessageContaining("tensor 'IN' has type FP8, which the protocol does not have");
    var vectorized =
        new PlanText()
            .input("IN", DataType.FP32, 4)
            .output("OUT", DataType.FP32, "identity IN", 4)
            .format("IN", 0, 5);
    assertThatThrownBy(() -> ServedModel.open(underTest("m", vectorized)).close())
        .hasMessageContaining("'m'")
        .hasMessageContaining("tensor 'IN' has format CHW32 in profile 0");
  }

  @Test
  void theOperatorsDefaultBoundsTheLargestBatch() {
    try (var served =
        ServedModel.open(
            underTest(bare("m"), doubling(4), Map.of("default-max-batch-size", "2")))) {
      assertThat(served.config().maxBatchSize()).isEqualTo(2);
    }
  }

  @Test
  void aConfigurationThatContradictsThePlanIsRejectedWithBothValues() {
    var config =
        bare("m")
            .withSignature(
                8,
                List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(4))),
                List.of(TensorConfig.of("OUT", DataType.FP32, Shape.of(4))));
    assertThatThrownBy(() -> ServedModel.open(underTest(config, doubling(4), Map.of())).close())
        .hasMessage(
            "unexpected datatype TYPE_FP32 for inference input 'IN', expecting TYPE_INT32 for m");
  }
}
