package io.nereid.tensorrt.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.Check;
import io.nereid.tensorrt.library.FakeLibraries.FakeCudart;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The report on machines of fake libraries. */
class GpuReportTest extends LibrariesUnderTest {
  @Test
  void reportsEachLibraryAndDevice() {
    Path cudart = FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));
    Path nvinfer = FakeLibraries.compileNvinfer(loaderFolder().resolve("libnvinfer.so.11"), 110100);
    Path parser = FakeLibraries.compileEmpty(loaderFolder().resolve("libnvonnxparser.so.11"));

    assertThat(GpuReport.checks(probe()))
        .containsExactly(
            Check.ok("CUDA driver", "for CUDA 13.1"),
            Check.ok("CUDA runtime", "13.0, " + cudart),
            Check.ok("GPU", "0: Fake GPU 0, 80.0 GiB, compute capability 9.0"),
            Check.ok("GPU", "1: Fake GPU 1, 80.0 GiB, compute capability 9.1"),
            Check.ok("TensorRT", "11.1.0, " + nvinfer),
            Check.ok("ONNX parser", parser.toString()),
            Check.warning(
                "TensorRT plugins",
                "plugin library of TensorRT not found (tried libnvinfer_plugin.so.11); only plans"
                    + " with NVIDIA's plugins need it",
                "install it or set --backend-config=tensorrt,nvinfer-plugin=<file>"));
    assertThat(GpuReport.line(available()))
        .isEqualTo(
            ("TensorRT 11.1.0 (%s), CUDA runtime 13.0, driver for CUDA 13.1, 0: Fake GPU 0, 80.0"
                    + " GiB, compute capability 9.0; 1: Fake GPU 1, 80.0 GiB, compute capability"
                    + " 9.1")
                .formatted(nvinfer));
  }

  @Test
  void reportsWhatIsMissingWithItsCure() {
    assertThat(GpuReport.checks(probe()))
        .containsExactly(
            Check.unavailable(
                "GPU",
                "TensorRT backend unavailable: CUDA runtime library not found (tried"
                    + " libcudart.so.13, libcudart.so.12)",
                "install it or set --backend-config=tensorrt,cudart=<file>"));
  }
}
