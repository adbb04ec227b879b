package io.nereid.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.config.BatchingSettings;
import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NativeDoubles;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.OnnxParserDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend with models whose plans it builds from ONNX files, against the doubles. */
@UsesDoubles
class BuiltPlanDoubleTest {
  private static final String NETWORK =
      """
      double-network
      input IN FP32 [-1,2]
      output OUT FP32 [-1,2] scale IN 2 0
      end
      """;

  @TempDir private Path folder;
  private final CudartDouble cuda = CudartDouble.get();

  @BeforeAll
  static void bindParser() {
    OnnxParserDouble.get();
  }

  @BeforeEach
  void writeModel() throws IOException {
    Files.createDirectories(folder.resolve("m/1"));
    new OnnxFileWriter()
        .input("IN", -1, 2)
        .documentation(NETWORK)
        .write(folder.resolve("m/1/model.onnx"));
  }

  @Test
  void aConfigurationIsCompletedFromTheBuiltEngineWhichThenServes() {
    try (var served = ServedModel.open(model(Map.of()))) {
      ModelConfig config = served.config();
      assertThat(config.maxBatchSize()).isEqualTo(4);
      assertThat(config.inputs())
          .containsExactly(TensorConfig.of("IN", DataType.FP32, Shape.of(2)));
      assertThat(config.outputs())
          .containsExactly(TensorConfig.of("OUT", DataType.FP32, Shape.of(2)));
      assertThat(config.scheduling()).isEqualTo(BatchingSettings.of(List.of(4), 0));
      var flight = served.execute(List.of(List.of(TestPlans.rows("IN", 3, 2, 7))));
      assertThat(TestPlans.floats(flight.output(0, "OUT"))).hasSize(6).containsOnly(14);
    }
    assertThat(cuda.calls("IBuilder_buildSerializedNetwork")).isEqualTo(1);
  }

  @Test
  void theDefaultMaxBatchSizeOfTheBackendIsThatOfTheBuiltEngine() {
    try (var served = ServedModel.open(model(Map.of("default-max-batch-size", "32")))) {
      assertThat(served.config().maxBatchSize()).isEqualTo(32);
    }
    assertThat(cuda.calls("IBuilder_buildSerializedNetwork")).isEqualTo(1);
  }

  @Test
  void anotherStartOfTheServerFindsThePlanInTheCache() {
    ServedModel.open(model(Map.of())).close();
    ServedModel.open(model(Map.of())).close();

    assertThat(cuda.calls("createInferBuilder")).isEqualTo(1);
    assertThat(folder.resolve("plans")).isDirectoryContaining("glob:**.plan");
  }

  @Test
  void aBackendThatCancelsLoadsBuildsNothing() {
    BackendUnderTest model = model(Map.of());
    Backend backend = model.provider().open(model.context());
    try {
      backend.cancelLoads();

      assertThatThrownBy(() -> backend.complete(model.files(), model.config()))
          .isInstanceOfSatisfying(
              InferenceException.class,
              failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
          .hasMessage("Server exiting");
    } finally {
      backend.close();
    }
    assertThat(cuda.calls("createInferBuilder")).isZero();
  }

  @Test
  void aSizeOfTheCacheThatIsNoNumberIsRefused() {
    BackendUnderTest model = model(Map.of("plan-cache-size", "1 GB"));

    assertThatThrownBy(() -> model.provider().open(model.context()))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "backend 'tensorrt': option 'plan-cache-size' must be a number of bytes, such as 4096 or 256MiB, got '1 GB'");
  }

  private BackendUnderTest model(Map<String, String> options) {
    Path parser =
        NativeDoubles.compile("nvonnxparser_double.c", NvinferDouble.path(), CudartDouble.path());
    Map<String, String> all = new HashMap<>(options);
    all.put("nvonnxparser", parser.toString());
    all.put("plan-cache-directory", folder.resolve("plans").toString());
    TestContext context = TestPlans.context(all);
    return new BackendUnderTest(
        new TensorRtBackendProvider(),
        context,
        new ModelFiles(folder.resolve("m"), 1),
        TestPlans.with(TestPlans.bare("m"), Map.of("tensorrt_build_from_onnx", "true")),
        InstanceSettings.Kind.KIND_GPU);
  }
}
