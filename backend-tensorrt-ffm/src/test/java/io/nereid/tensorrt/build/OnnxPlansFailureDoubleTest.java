package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.library.Lack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds of plans that fail or are cancelled, against the doubles of the libraries. */
@UsesDoubles
@Timeout(120)
class OnnxPlansFailureDoubleTest extends OnnxPlansUnderTest {
  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void everyErrorOfTheParserIsReported(int version) {
    nvinfer.setVersion(version);
    write(
        new OnnxFileWriter().input("X", -1, 4),
        NETWORK
            + "error 8 3 conv1 Conv no kernel for this\nerror 4 -1 - - a bad model\nerror 6 7 - - x\n");

    assertRejected(
        config(8, Map.of()),
        "cannot use '%s': node 3 'conv1' (Conv): no kernel for this (code 8); a bad model (code 4);"
                .formatted(files.versionDirectory().resolve("model.onnx"))
            + " node 7 '' (): x (code 6)");
  }

  @Test
  void aParserThatFailsWithoutAnErrorIsReportedWithTheLogLine() {
    write(new OnnxFileWriter().input("X", -1, 4), NETWORK + "crash\n");

    assertRejected(config(8, Map.of()), "ModelImporter: Error Code 3: out of luck");
  }

  @ParameterizedTest
  @CsvSource({
    "createInferBuilder, TensorRT created no IBuilder",
    "IBuilder_createNetworkV2, TensorRT created no INetworkDefinition",
    "createNvOnnxParser, TensorRT created no IParser",
    "IParser_parseFromFile, cannot use",
    "IBuilder_createBuilderConfig, TensorRT created no IBuilderConfig",
    "INetworkDefinition_getInput, TensorRT returned no input 0",
    "ITensor_getName, TensorRT returned no name of input 0",
    "ITensor_getDimensions, TensorRT returned no dimensions of input 0",
    "IBuilder_createOptimizationProfile, TensorRT created no IOptimizationProfile",
    "IOptimizationProfile_setDimensions, input 'X' cannot have MIN",
    "IOptimizationProfile_isValid, refuses profile 0",
    "IBuilderConfig_addOptimizationProfile, TensorRT refuses a profile",
    "IBuilder_buildSerializedNetwork, TensorRT created no IHostMemory",
    "IHostMemory_data, TensorRT returned",
    "IHostMemory_size, TensorRT returned 0 bytes"
  })
  void aFailedCallFailsTheLoadAndLeavesNothing(String function, String message) throws IOException {
    for (int version : List.of(NvinferDouble.VERSION_10, NvinferDouble.VERSION_11)) {
      nvinfer.setVersion(version);
      long open = NativeObject.open();
      OnnxPlans plans = plans();
      cuda.failNext(function, 1);

      InferenceException failure =
          catchThrowableOfType(
              InferenceException.class, () -> open(plans, config(8, Map.of())).close());

      assertThat(failure).hasMessageContaining(message).hasMessageContaining("'m'");
      if (!function.equals("IOptimizationProfile_isValid")) {
        assertThat(failure).hasMessageContaining(function + ": Error Code 10");
      }
      assertThat(NativeObject.open()).isEqualTo(open);
      assertThat(cuda.live("IParser")).isZero();
      assertThat(Files.exists(cacheDirectory)).isFalse();
      open(plans, config(8, Map.of())).close();
      deleteCache();
    }
  }

  @Test
  void kernelsThatTheLoaderDoesNotFindAreNamedWithTheirCure() {
    cuda.failNext("createInferBuilder", 301);

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageContaining("Unable to load library: libnvinfer_builder_resource.so.10.6.0")
        .hasMessageEndingWith(
            "; builds need the files libnvinfer_builder_resource* of TensorRT %s where the system's"
                + " loader finds them: name their folder in LD_LIBRARY_PATH or to ldconfig",
            TensorRt.open(1).version());
  }

  private void deleteCache() throws IOException {
    try (var all = Files.newDirectoryStream(cacheDirectory)) {
      for (Path file : all) {
        Files.delete(file);
      }
    }
    Files.delete(cacheDirectory);
  }

  @Test
  void anExceptionInAnUpcallEndsTheBuildAndIsItsCause() {
    var calls = new AtomicLong();
    nanoTime =
        () -> {
          if (calls.incrementAndGet() == 2) { // in the line on the first phase
            throw new IllegalStateException("broken clock");
          }
          return now.get();
        };

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageContaining("Build was cancelled by the progress monitor")
        .cause()
        .satisfies(cause ->
            assertThat(cause.getSuppressed())
                .extracting(Throwable::getMessage)
                .contains("broken clock"));
  }

  @Test
  void cancellingEndsABuildAtItsNextStepAndRejectsLaterOnes() {
    var cancel = new AtomicBoolean();
    var plans = new CompletableFuture<OnnxPlans>();
    nanoTime =
        () -> {
          if (cancel.get()) {
            plans.join().cancel();
          }
          return now.get();
        };
    plans.complete(plans());
    open(plans.join(), config(8, Map.of())).close();
    cancel.set(true);

    assertThatThrownBy(() -> open(plans.join(), config(16, Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessage("Server exiting");

    assertCalls(Map.of("IBuilder_buildSerializedNetwork", 2));
    assertThatThrownBy(() -> open(plans.join(), config(32, Map.of()))).hasMessage("Server exiting");
    assertCalls(Map.of("createInferBuilder", 2));
    open(plans.join(), config(8, Map.of())).close(); // from the cache
  }

  @Test
  void anInterruptEndsABuildAtItsNextStep() {
    Thread builder = Thread.currentThread();
    nanoTime =
        () -> {
          builder.interrupt();
          return now.get();
        };

    assertThatThrownBy(() -> open(plans(), config(8, Map.of()))).hasMessage("Server exiting");

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aMissingParserIsNamedWithItsCure() {
    var lack = new Lack("TensorRT's ONNX parser not found", "install it");
    var plans =
        new OnnxPlans(
            TensorRt.open(1), Optional.of(lack), "13.0", cache(cacheDirectory), 4, nanoTime, later);

    assertThatThrownBy(() -> open(plans, config(8, Map.of())))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageStartingWith("model 'm': no plan can be built from ")
        .hasMessageEndingWith("TensorRT's ONNX parser not found; install it");
  }

  @Test
  void aFileThatIsNoOnnxModelIsNamed() throws IOException {
    Path file = files.versionDirectory().resolve("model.onnx");
    Files.writeString(file, "no protobuf");

    assertThatThrownBy(() -> open(plans(), config(8, Map.of())))
        .hasMessageStartingWith("cannot read '%s' of model 'm': ", file);
  }
}
