package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvonnxparser.Nvonnxparser;
import io.nereid.tensorrt.doubles.NativeDoubles;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import io.nereid.tensorrt.library.GpuSupport;
import io.nereid.tensorrt.library.LibraryLookup;
import io.nereid.tensorrt.library.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * NVIDIA's libraries on a machine without a driver: libcudart of the Python package
 * nvidia-cuda-runtime, libnvinfer 10.15.1 and its ONNX parser of org.bytedeco:tensorrt. They show
 * that the bindings find and call the real functions, and what these answer without a device.
 */
@Tag("trt-lib")
class RealLibraryTest {
  private static final int VERSION = 10_15_01;

  @BeforeAll
  static void bind() {
    assumeThat(Files.exists(Path.of("/proc/driver/nvidia/version")))
        .as("a machine with a driver has other answers")
        .isFalse();
    bind(Settings.path("tensorrt.nvinfer"));
  }

  @Test
  void withoutADriverTheCudaRuntimeIsReportedAsUnusable() {
    GpuSupport support =
        NativeLibraries.probe(
            TypedOptions.of(
                "test",
                Map.of(
                    "cudart", Settings.path("tensorrt.cudart").toString(),
                    "nvinfer", Settings.path("tensorrt.nvinfer").toString())));

    assertThat(support).isInstanceOf(GpuSupport.Unavailable.class);
    assertThat(((GpuSupport.Unavailable) support).reason())
        .startsWith(
            "TensorRT backend unavailable: no usable NVIDIA driver (cudaErrorInsufficientDriver)"
                + ": driver none, runtime CUDA 13.");
  }

  @Test
  void theLibraryStatesItsVersion() {
    assertThat(Nvinfer.getInferLibVersion()).isEqualTo(VERSION);
    assertThat(TensorRt.open(1).version()).hasToString("10.15.1");
  }

  @Test
  void theParserHasAVersionOfItsOwn() {
    assertThat(Nvonnxparser.getNvOnnxParserVersion()).isEqualTo(100); // 0.1.0, NvOnnxParser.h
  }

  /** The double stands for a device. No function of TensorRT is called but that of its version. */
  @Test
  void withADeviceTheSearchFindsTheLibraryAndThoseBesideIt() {
    GpuSupport support =
        NativeLibraries.probe(
            TypedOptions.of(
                "test",
                Map.of(
                    "cudart", NativeDoubles.compile("cudart_double.c").toString(),
                    "nvinfer", Settings.path("tensorrt.nvinfer").toString())));

    assertThat(support)
        .isInstanceOfSatisfying(
            GpuSupport.Available.class,
            available -> {
              assertThat(available.tensorRtText()).isEqualTo("10.15.1");
              assertThat(available.onnxParser().library()).isPresent();
              assertThat(available.plugins().library()).isPresent();
            });
  }

  @Test
  void tensorRtIsNotOpenedWithoutADevice() {
    assertThatThrownBy(() -> TensorRt.open(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("TensorRT needs a CUDA device");
  }

  @Test
  void withoutADeviceTheFactoryReturnsAnAddressThatIsNoObjectAndTheLoggerIsCalled()
      throws Exception {
    List<String> lines = factories();

    assertThat(lines)
        .contains(
            "createInferRuntime_INTERNAL returned 0x238",
            "createInferBuilder_INTERNAL returned 0x0")
        .anyMatch(line ->
            line.matches("log SEVERE TensorRT: .*CUDA initialization failure with error: 35.*"));
  }

  @Test
  void withoutADeviceTheEngineLayerExplainsWithTensorRtsOwnLines() throws Exception {
    assertThat(factories())
        .anyMatch(line ->
            line.matches(
                "createRuntime failed: TensorRT created no IRuntime: .*CUDA initialization"
                    + " failure with error: 35.*"))
        .anyMatch(line ->
            line.matches("createBuilder failed: TensorRT created no IBuilder: .*error: 35.*"));
  }

  private static List<String> factories() throws Exception {
    try (var process =
        JavaProcess.start(Factories.class, Settings.path("tensorrt.nvinfer").toString())) {
      return process.readAll();
    }
  }

  private static void bind(Path nvinfer) {
    LibraryLookup.bind("nvinfer", SymbolLookup.libraryLookup(nvinfer, Arena.global()));
    Path parser = nvinfer.resolveSibling("libnvonnxparser.so.10");
    LibraryLookup.bind("nvonnxparser", SymbolLookup.libraryLookup(parser, Arena.global()));
  }

  /** Calls the factories as if there were a device. A process of its own, since they may crash. */
  static final class Factories {
    public static void main(String[] arguments) {
      print(Logger.getLogger("io.nereid.tensorrt"));
      bind(Path.of(arguments[0]));
      TensorRt tensorRt = TensorRt.open(1);
      MemorySegment logger = tensorRt.logger();
      print(
          "createInferRuntime_INTERNAL returned 0x%x",
          Nvinfer.createInferRuntime_INTERNAL(logger, VERSION).address());
      print(
          "createInferBuilder_INTERNAL returned 0x%x",
          Nvinfer.createInferBuilder_INTERNAL(logger, VERSION).address());
      try {
        tensorRt.createRuntime("no GPU").close();
      } catch (TensorRtException expected) {
        print("createRuntime failed: %s", expected.getMessage());
      }
      try {
        tensorRt.createBuilder().close();
      } catch (TensorRtException expected) {
        print("createBuilder failed: %s", expected.getMessage());
      }
    }

    /** Prints what TensorRT logs. */
    private static void print(Logger logger) {
      logger.setUseParentHandlers(false);
      logger.addHandler(
          new Handler() {
            @Override
            public void publish(LogRecord line) {
              print("log %s %s", line.getLevel(), new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
          });
    }

    private static void print(String format, Object... arguments) {
      System.out.println(format.formatted(arguments));
    }
  }
}
