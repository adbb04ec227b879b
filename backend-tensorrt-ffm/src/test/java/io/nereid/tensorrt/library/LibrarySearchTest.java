package io.nereid.tensorrt.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.library.FakeLibraries.FakeCudart;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The search on machines of fake libraries: what is found, and in which order. */
class LibrarySearchTest extends LibrariesUnderTest {
  @Test
  void reportsWhatItFound() {
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));
    Path nvinfer = FakeLibraries.compileNvinfer(loaderFolder().resolve("libnvinfer.so.10"), 101501);

    GpuSupport.Available found = available();

    assertThat(found.driverText()).isEqualTo("13.1");
    assertThat(found.runtimeText()).isEqualTo("13.0");
    assertThat(found.devices())
        .containsExactly(
            new GpuDevice(0, "Fake GPU 0", "9.0", 80L << 30),
            new GpuDevice(1, "Fake GPU 1", "9.1", 80L << 30));
    assertThat(Path.of(found.nvinfer().path())).isEqualTo(nvinfer);
    assertThat(found.tensorRtText()).isEqualTo("10.15.1");
    assertThat(found.onnxParser().library()).isEmpty();
    assertThat(found.onnxParser().lack().orElseThrow())
        .hasToString(
            "ONNX parser of TensorRT not found (tried libnvonnxparser.so.10); install it or set"
                + " --backend-config=tensorrt,nvonnxparser=<file>");
    assertThat(found.plugins().lack().orElseThrow().cause())
        .isEqualTo("plugin library of TensorRT not found (tried libnvinfer_plugin.so.10)");
  }

  /** Each place is filled after those that precede it in the search, and is overtaken by them. */
  @Test
  void searchesOptionLoaderToolkitPackagesAndJarInThisOrder() {
    FakeLibraries.compileNvinfer(loaderFolder().resolve("libnvinfer.so.11"), 110100);
    variables.put("CUDA_HOME", root.resolve("home").toString());
    variables.put("VIRTUAL_ENV", root.resolve("venv").toString());
    Path[] places = {
      root.resolve("backend/native/libcudart.so.12"),
      root.resolve("usr/lib/python3.11/dist-packages/nvidia/cuda_runtime/lib/libcudart.so.12"),
      root.resolve("usr/lib/python3.11/dist-packages/nvidia/cu13/lib/libcudart.so.13"),
      root.resolve("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13"),
      root.resolve("usr/local/cuda-12.4/lib64/libcudart.so.12"),
      root.resolve("usr/local/cuda-13.0/lib64/libcudart.so.13"),
      root.resolve("home/lib64/libcudart.so.12"),
      loaderFolder().resolve("libcudart.so.12"),
      loaderFolder().resolve("libcudart.so.13"),
      root.resolve("opt/libcudart-of-mine.so")
    };
    for (Path place : places) {
      FakeCudart.working().compile(place);
      if (place.equals(places[places.length - 1])) {
        options.put("cudart", place.toString());
      }
      assertThat(available().cudart().path()).isEqualTo(place.toString());
    }
  }

  @Test
  void usesOnlyTheFileThatAnOptionNames() {
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));
    Path missing = root.resolve("none/libcudart.so");
    options.put("cudart", missing.toString());

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: CUDA runtime library not found (tried %s); correct"
                    + " --backend-config=tensorrt,cudart")
                .formatted(missing));
  }

  @Test
  void passesOverALibraryThatCannotBeOpenedIfThereIsAnother() {
    FakeLibraries.writeText(loaderFolder().resolve("libcudart.so.13"));
    Path good = FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.12"));
    FakeLibraries.compileNvinfer(loaderFolder().resolve("libnvinfer.so.11"), 110100);

    assertThat(available().cudart().path()).isEqualTo(good.toString());
  }

  @Test
  void takesParserAndPluginsOfTheSameReleaseFirst() {
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));
    FakeLibraries.compileEmpty(loaderFolder().resolve("libnvonnxparser.so.11"));
    FakeLibraries.compileEmpty(loaderFolder().resolve("libnvonnxparser.so.10"));
    variables.put("TENSORRT_HOME", root.resolve("trt").toString());
    FakeLibraries.compileNvinfer(root.resolve("trt/lib/libnvinfer.so.10"), 101501);
    Path parser = FakeLibraries.compileEmpty(root.resolve("trt/lib/libnvonnxparser.so.10"));
    Path plugins = FakeLibraries.compileEmpty(root.resolve("trt/lib/libnvinfer_plugin.so.10"));

    GpuSupport.Available found = available();

    assertThat(found.onnxParser().library().orElseThrow().path()).isEqualTo(parser.toString());
    assertThat(found.plugins().library().orElseThrow().path()).isEqualTo(plugins.toString());
  }
}
