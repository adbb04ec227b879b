package io.nereid.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.onnx.ort.OrtEnvironment;
import io.nereid.onnx.ort.SystemLocale;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.TestContext;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Models that fail to load, and the messages of the failures. */
class OnnxLoadFailureTest {
  private final long handles = OrtEnvironment.openHandles();

  @AfterEach
  void allHandlesAreReleased() {
    assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
  }

  private static TensorConfig ints(String name, long... dims) {
    return TensorConfig.of(name, DataType.INT32, Shape.of(dims));
  }

  private static ModelConfig simple(List<TensorConfig> inputs, TensorConfig... outputs) {
    return TestModels.bare("simple").withSignature(8, inputs, List.of(outputs));
  }

  private static final List<TensorConfig> INPUTS = List.of(ints("INPUT0", 16), ints("INPUT1", 16));

  @Test
  void failsForACorruptFileWithTheMessageOfOnnxRuntime() {
    var failure = TestModels.loadFailure(TestModels.bare("corrupt"));

    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
    assertThat(failure)
        .hasMessageStartingWith("failed to load model 'corrupt' from '")
        .hasMessageContaining("model.onnx': onnx runtime error 7: ")
        .hasMessageContaining("Protobuf parsing failed");
  }

  @Test
  void saysWhatHelpsIfTheSystemLacksTheLocaleOfANormalizer() {
    assumeThat(SystemLocale.isMissing()).isTrue();

    assertThat(TestModels.loadFailure(TestModels.bare("normalizer")))
        .hasMessageContaining("StringNormalizer needs a locale that this system lacks, by default")
        .hasMessageContaining("localedef -i en_US -f UTF-8 en_US.UTF-8")
        .hasMessageContaining("make_attribute('locale', 'C.UTF-8')");
  }

  @Test
  void failsForThreadsThatTheEngineBeforeDoesNotShare() {
    var shared = Map.of("enable-global-threadpool", "true");
    try (var before = new OnnxBackendProvider().open(TestContext.of("onnxruntime"));
        var after = new OnnxBackendProvider().open(TestContext.of("onnxruntime", shared))) {
      var files = TestModels.files("simple");
      var config = TestModels.bare("simple");

      assertThat(before.complete(files, config).inputs()).hasSize(2);
      assertThatThrownBy(() -> after.complete(files, config))
          .isInstanceOf(InferenceException.class)
          .hasMessageStartingWith(
              "model 'simple' does not load: 'enable-global-threadpool' is true, and another"
                  + " engine of this process has opened '/")
          .hasMessageEndingWith("or this one a copy of the file by backend option 'library'");
    }
  }

  @Test
  void failsForAMissingFile() {
    var files = new ModelFiles(Path.of("target", "nowhere"), 3);
    var failure =
        TestModels.loadFailure(files, TestModels.bare("m"), InstanceSettings.Kind.KIND_CPU);

    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessage(
            "unable to find '%s' for model 'm'", Path.of("target", "nowhere", "3", "model.onnx"));
  }

  @Test
  @Timeout(30)
  void failsForAFileThatIsNotRegular(@TempDir Path directory) throws Exception {
    Path file = Files.createDirectories(directory.resolve("1")).resolve("model.onnx");
    for (Path special : List.of(Path.of("/dev/zero"), Path.of("/dev/null"))) {
      assumeThat(special).exists();
      Files.createSymbolicLink(file, special);

      var failure =
          TestModels.loadFailure(
              new ModelFiles(directory, 1), TestModels.bare("m"), InstanceSettings.Kind.KIND_CPU);

      assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
      assertThat(failure).hasMessage("'%s' of model 'm' is not a regular file", file);
      Files.delete(file);
    }
  }

  @Test
  void failsForADifferentType() {
    var fp32 = TensorConfig.of("INPUT1", DataType.FP32, Shape.of(16));
    assertThat(
            TestModels.loadFailure(simple(List.of(ints("INPUT0", 16), fp32), ints("OUTPUT0", 16))))
        .hasMessage(
            "unable to load model 'simple', configuration expects datatype TYPE_FP32 for input"
                + " 'INPUT1', model provides TYPE_INT32");

    var bytes = TensorConfig.of("OUTPUT0", DataType.BYTES, Shape.of(16));
    assertThat(TestModels.loadFailure(simple(INPUTS, bytes)))
        .hasMessage(
            "unable to load model 'simple', configuration expects datatype TYPE_STRING for output"
                + " 'OUTPUT0', model provides TYPE_INT32");
  }

  @Test
  void failsForADifferentShape() {
    assertThat(TestModels.loadFailure(simple(INPUTS, ints("OUTPUT0", 8))))
        .hasMessage(
            "model 'simple', tensor 'OUTPUT0': the model expects shape [-1,16] but the model"
                + " configuration specifies shape [-1,8], whose first dimension max_batch_size"
                + " adds");

    var rankless = simple(INPUTS, TensorConfig.of("OUTPUT0", DataType.INT32, Shape.of(16, 1)));
    assertThat(TestModels.loadFailure(rankless))
        .hasMessage(
            "model 'simple', tensor 'OUTPUT0': the model expects 2 dimensions (shape [-1,16]) but"
                + " the model configuration specifies 3 dimensions (an initial batch dimension"
                + " because max_batch_size > 0 followed by the explicit tensor shape, making"
                + " complete shape [-1,16,1])");

    var unbatched = simple(List.of(ints("INPUT0", 16), ints("INPUT1", 16)), ints("OUTPUT0", 16));
    assertThat(
            TestModels.loadFailure(
                unbatched.withSignature(0, unbatched.inputs(), unbatched.outputs())))
        .hasMessage(
            "model 'simple', tensor 'INPUT0': the model expects 2 dimensions (shape [-1,16]) but"
                + " the model configuration specifies 1 dimensions (shape [16])");
  }

  /** As in Triton: the shape of an output is compared exactly. */
  @Test
  void failsForAVariableDimensionOfAnOutputThatIsConstantInTheSession() {
    var config = TestModels.bare("symbolic_output");
    var floats = DataType.FP32;
    var inputs =
        List.of(
            TensorConfig.of("x", floats, Shape.of(-1, 4)),
            TensorConfig.of("h", floats, Shape.of(1, 1, 2)),
            TensorConfig.of("c", floats, Shape.of(1, 1, 2)));
    var hn = TensorConfig.of("hn", floats, Shape.of(1, -1, 2));

    assertThat(TestModels.loadFailure(config.withSignature(0, inputs, List.of(hn))))
        .hasMessage(
            "model 'symbolic_output', tensor 'hn': the model expects shape [1,1,2] but the model"
                + " configuration specifies shape [1,-1,2]");
  }

  @Test
  void failsForAMaximumBatchSizeWithoutABatchDimension() {
    var in = TensorConfig.of("IN", DataType.FP32, Shape.of(4));
    var out = TensorConfig.of("OUT", DataType.FP32, Shape.of(4));
    assertThat(
            TestModels.loadFailure(
                TestModels.bare("fixed").withSignature(8, List.of(in), List.of(out))))
        .hasMessage(
            "model 'fixed', tensor 'IN': for the model to support batching the shape should have"
                + " at least 1 dimension and the first dimension must be -1; but shape expected"
                + " by the model is [1,4]");
  }

  @Test
  void failsForAnUnknownTensorNamingThoseOfTheFile() {
    assertThat(TestModels.loadFailure(simple(List.of(ints("INPUT0", 16), ints("OTHER", 16)))))
        .hasMessage(
            "unable to load model 'simple', unexpected inference input 'OTHER', allowed inputs"
                + " are: INPUT0, INPUT1");
    assertThat(TestModels.loadFailure(simple(INPUTS, ints("OTHER", 16))))
        .hasMessage(
            "unable to load model 'simple', unexpected inference output 'OTHER', allowed outputs"
                + " are: OUTPUT0, OUTPUT1");
    assertThat(TestModels.loadFailure(simple(List.of(ints("INPUT0", 16)))))
        .hasMessage(
            "unable to load model 'simple', configuration expects 1 inputs, model provides 2");
    assertThat(
            TestModels.loadFailure(
                simple(List.of(ints("INPUT0", 16), ints("INPUT1", 16), ints("OTHER", 16)))))
        .hasMessage(
            "unable to load model 'simple', configuration expects 3 inputs, model provides 2");
  }

  @Test
  void failsForAScalarOfMoreThanOneElement() {
    var in = TensorConfig.of("IN", DataType.FP32, Shape.of(2));
    var out = TensorConfig.of("OUT", DataType.FP32, Shape.of(1));
    assertThat(TestModels.loadFailure(TestModels.unbatched("scalar", List.of(in), out)))
        .hasMessageContaining("scalar tensor 'IN', should only provide 1")
        .hasMessageContaining("[2]");
  }

  @Test
  void failsForInvalidParameters() {
    var simple = simple(INPUTS, ints("OUTPUT0", 16));
    assertThat(
            TestModels.loadFailure(
                TestModels.withParameters(simple, Map.of("execution_mode", "2"))))
        .hasMessage("model 'simple': parameter 'execution_mode' must be 0 or 1, got '2'");
    assertThat(
            TestModels.loadFailure(
                TestModels.withParameters(simple, Map.of("intra_op_thread_count", "x"))))
        .hasMessage(
            "model 'simple': parameter 'intra_op_thread_count' must be an integer, got 'x'");
    assertThat(
            TestModels.loadFailure(
                TestModels.withParameters(simple, Map.of("inter_op_thread_count", "1025"))))
        .hasMessage(
            "model 'simple': parameter 'inter_op_thread_count' must be at most 1024, got '1025'");
    assertThat(
            TestModels.loadFailure(
                TestModels.withParameters(simple, Map.of("enable_mem_arena", "yes"))))
        .hasMessage(
            "model 'simple': parameter 'enable_mem_arena' must be 0 or 1, false or true, got"
                + " 'yes'");
  }

  @Test
  void failsForAGpuWithoutTheProviderInTheLibrary() {
    var simple = simple(INPUTS, ints("OUTPUT0", 16));
    var failure =
        TestModels.loadFailure(TestModels.files("simple"), simple, InstanceSettings.Kind.KIND_GPU);

    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
    assertThat(failure)
        .hasMessageStartingWith(
            "model 'simple' needs CUDAExecutionProvider, which this ONNX Runtime library does not"
                + " have; it has [")
        .hasMessageContaining("CPUExecutionProvider");
  }

  @Test
  void failsForAnUnknownAccelerator() {
    var config =
        TestModels.withAccelerator(
            simple(INPUTS, ints("OUTPUT0", 16)), new Accelerator("abacus", Map.of()));
    assertThat(TestModels.loadFailure(config))
        .hasMessage("model 'simple': unknown Execution Accelerator 'abacus' is requested");
  }

  @Test
  void completionFailsForWhatALoadWouldRefuse() {
    var simple = simple(INPUTS, ints("OUTPUT0", 16));
    var unknown = TestModels.withAccelerator(simple, new Accelerator("abacus", Map.of()));
    var threads = TestModels.withParameters(simple, Map.of("intra_op_thread_count", "many"));

    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      assertThatThrownBy(() -> backend.complete(TestModels.files("simple"), unknown))
          .hasMessage("model 'simple': unknown Execution Accelerator 'abacus' is requested");
      assertThatThrownBy(() -> backend.complete(TestModels.files("simple"), threads))
          .hasMessageContaining("parameter 'intra_op_thread_count' must be an integer");
    }
  }

  @Test
  void leavesOutAnAcceleratorThatTheLibraryLacks() {
    var config =
        TestModels.withAccelerator(
            simple(INPUTS, ints("OUTPUT0", 16)), new Accelerator("openvino", Map.of()));

    assertThat(TestModels.loadFailure(config)).isNull();
    try (var backend = new OnnxBackendProvider().open(TestContext.of("onnxruntime"))) {
      assertThat(backend.warnings(config))
          .containsExactly(
              "model 'simple' runs without the execution accelerator 'openvino': this ONNX Runtime"
                  + " library has no OpenVINOExecutionProvider, only CPUExecutionProvider");
    }
  }

  @Test
  void failsForAMissingLibrary() {
    var settings = TestContext.of("onnxruntime", Map.of("library", "/nowhere/libonnxruntime.so"));
    assertThat(
            catchThrowableOfType(
                InferenceException.class, () -> new OnnxBackendProvider().open(settings).close()))
        .hasMessageContaining("there is no ONNX Runtime library")
        .hasMessageContaining("libonnxruntime.so");
  }
}
