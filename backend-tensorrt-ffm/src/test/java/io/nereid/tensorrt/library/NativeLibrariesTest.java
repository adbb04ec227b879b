package io.nereid.tensorrt.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.spi.Check;
import io.nereid.tensorrt.library.FakeLibraries.FakeCudart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The search on machines of fake libraries: what is found, and the sentence for what is missing.
 */
class NativeLibrariesTest {
  @TempDir private Path root = Path.of("");
  private final Map<String, String> options = new HashMap<>();
  private final Map<String, String> variables = new HashMap<>();
  private String os = "Linux";
  private String architecture = "amd64";

  /** The folder that this machine's loader searches. */
  private Path loaderFolder() {
    return root.resolve("loader");
  }

  private GpuSupport probe() {
    var environment =
        new LibraryEnvironment(
            os, architecture, variables, root, Optional.of(root.resolve("backend/backend.jar")));
    var linker = new DynamicLinker();
    LibraryLoader loader =
        file -> {
          if (file.contains("/")) {
            return linker.open(file);
          }
          Path inFolder = loaderFolder().resolve(file);
          if (!Files.exists(inFolder)) {
            throw LibraryLoadException.of(
                file, file + ": cannot open shared object file: No such file or directory");
          }
          return linker.open(inFolder.toString());
        };
    return new NativeLibraries(environment, loader, options).probe();
  }

  private String reason() {
    return switch (probe()) {
      case GpuSupport.Unavailable lacking -> lacking.reason();
      case GpuSupport.Available available -> throw new AssertionError(available);
    };
  }

  private GpuSupport.Available available() {
    return switch (probe()) {
      case GpuSupport.Unavailable lacking -> throw new AssertionError(lacking.reason());
      case GpuSupport.Available available -> available;
    };
  }

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
    assertThat(found.nvinferPath()).isEqualTo(nvinfer);
    assertThat(found.tensorRtText()).isEqualTo("10.15.1");
    assertThat(found.tensorRtMajor()).isEqualTo(10);
    assertThat(found.onnxParser().library()).isEmpty();
    assertThat(found.onnxParser().lack().orElseThrow())
        .hasToString(
            "ONNX parser of TensorRT not found (tried libnvonnxparser.so.10); install it or set"
                + " --backend-config=tensorrt,nvonnxparser=<file>");
    assertThat(found.plugins().lack().orElseThrow().cause())
        .isEqualTo("plugin library of TensorRT not found (tried libnvinfer_plugin.so.10)");
  }

  @Test
  void saysWhichNamesAndFoldersItTriedForTheCudaRuntime() throws Exception {
    Path toolkit = Files.createDirectories(root.resolve("usr/local/cuda-13.0/lib64"));

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: CUDA runtime library not found (tried libcudart.so.13,"
                    + " libcudart.so.12, %s); install it or set"
                    + " --backend-config=tensorrt,cudart=<file>")
                .formatted(toolkit));
  }

  @ParameterizedTest
  @CsvSource({"0,none", "12020,for CUDA 12.2"})
  void saysThatTheDriverIsMissingOrTooOldWithBothVersions(int driver, String shown) {
    FakeCudart.working()
        .failing(35)
        .withDriver(driver)
        .compile(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: no usable NVIDIA driver (cudaErrorInsufficientDriver):"
                    + " driver %s, runtime CUDA 13.0; install a driver for CUDA 13 or newer")
                .formatted(shown));
  }

  @ParameterizedTest
  @CsvSource({"100,2", "0,0"})
  void saysThatNoGpuIsVisible(int status, int devices) {
    FakeCudart.working()
        .failing(status)
        .withDevices(devices)
        .compile(loaderFolder().resolve("libcudart.so.12"));

    assertThat(reason())
        .isEqualTo(
            "TensorRT backend unavailable: no NVIDIA GPU visible (cudaErrorNoDevice); check"
                + " nvidia-smi, CUDA_VISIBLE_DEVICES, and whether the container has GPUs");
  }

  @Test
  void givesAnyOtherErrorOfCudaWithNameCodeAndText() {
    FakeCudart.working().failing(803).compile(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .startsWith(
            "TensorRT backend unavailable: CUDA cannot be used: cudaGetDeviceCount failed: a text"
                + " of CUDA (cudaErrorSystemDriverMismatch, 803); ");
  }

  @Test
  void saysWhichNamesItTriedForTensorRt() {
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .isEqualTo(
            "TensorRT backend unavailable: TensorRT library not found (tried libnvinfer.so.11,"
                + " libnvinfer.so.10, libnvinfer.so); install it or set"
                + " --backend-config=tensorrt,nvinfer=<file>");
  }

  @ParameterizedTest
  @CsvSource({"8601,8.6.1", "9300,9.3.0", "120001,12.0.1"})
  void saysWhichVersionOfTensorRtItFoundIfItIsNotSupported(int version, String shown) {
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));
    Path file = FakeLibraries.compileNvinfer(root.resolve("opt/libnvinfer.so"), version);
    options.put("nvinfer", file.toString());

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: found TensorRT %s; supported are 10 and 11; set"
                    + " --backend-config=tensorrt,nvinfer=<file> instead of '%s'")
                .formatted(shown, file));
  }

  @ParameterizedTest
  @CsvSource({"Mac OS X,aarch64", "Windows 11,amd64", "Linux,riscv64", "Linux,i386"})
  void saysThatThePlatformIsNotSupported(String name, String machine) {
    os = name;
    architecture = machine;

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: not supported on %s/%s; it needs Linux on x86-64 or"
                    + " aarch64")
                .formatted(name, machine));
  }

  @Test
  void looksFurtherThanThePlatformOnAarch64() {
    architecture = "aarch64";

    assertThat(reason()).contains("CUDA runtime library not found");
  }

  @Test
  void givesTheLinkersMessageForAFileThatIsNoLibrary() {
    Path file = FakeLibraries.writeText(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: CUDA runtime library cannot be opened: %s: invalid ELF"
                    + " header; install one that fits this machine or set"
                    + " --backend-config=tensorrt,cudart=<file>")
                .formatted(file));
  }

  @Test
  void givesTheLinkersMessageForALibraryOfAnotherArchitecture() throws Exception {
    Path file = FakeLibraries.compileEmpty(loaderFolder().resolve("libcudart.so.13"));
    byte[] elf = Files.readAllBytes(file);
    elf[18] = 42; // e_machine: SuperH
    Files.write(file, elf);

    assertThat(reason())
        .contains("cannot be opened: " + file + ": ")
        .contains("(the file exists: it may be of another architecture)");
  }

  @Test
  void givesTheLinkersMessageForALibraryWhoseDependencyIsMissing() throws Exception {
    Path dependency = FakeLibraries.compileEmpty(root.resolve("libneeded.so"));
    Path file = loaderFolder().resolve("libnvinfer.so.11");
    FakeLibraries.compile(
        file,
        "int nothing(void); int getInferLibVersion(void) { return nothing(); }",
        dependency.toString(),
        "-Wl,--no-as-needed");
    Files.delete(dependency);
    FakeCudart.working().compile(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .contains("TensorRT library cannot be opened: " + dependency)
        .contains("cannot open shared object file: No such file or directory");
  }

  @Test
  void namesTheFunctionThatACudaRuntimeLacks() {
    Path file =
        FakeCudart.working()
            .without("cudaMallocFromPoolAsync")
            .compile(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: CUDA runtime '%s' has no function"
                    + " cudaMallocFromPoolAsync; install a complete one or set"
                    + " --backend-config=tensorrt,cudart=<file>")
                .formatted(file));
  }

  @ParameterizedTest
  @CsvSource({"11080,11.8", "14000,14.0"})
  void saysWhichCudaRuntimeItFoundIfItIsNotSupported(int version, String shown) {
    Path file = FakeCudart.working().withRuntime(version).compile(root.resolve("opt/libcudart.so"));
    options.put("cudart", file.toString());

    assertThat(reason())
        .isEqualTo(
            ("TensorRT backend unavailable: found CUDA runtime %s; supported are 12 and 13; set"
                    + " --backend-config=tensorrt,cudart=<file> instead of '%s'")
                .formatted(shown, file));
  }

  @Test
  void rejectsLibrariesThatAreNotWhatTheyPoseAs() {
    FakeLibraries.compileEmpty(loaderFolder().resolve("libcudart.so.13"));

    assertThat(reason()).contains("is no CUDA runtime: it has no function cudaRuntimeGetVersion");

    Path cudart = FakeCudart.working().compile(root.resolve("opt/libcudart.so"));
    options.put("cudart", cudart.toString());
    FakeLibraries.compileEmpty(loaderFolder().resolve("libnvinfer.so.10"));

    assertThat(reason()).contains("has no function getInferLibVersion");
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

  @Test
  void findsNoCudaOnAMachineWithoutIt() {
    GpuSupport support = NativeLibraries.probe(Map.of());

    assumeTrue(
        support instanceof GpuSupport.Unavailable lacking && lacking.reason().contains("not found"),
        () -> "skipped: this machine has CUDA or is no Linux: " + support);
    assertThat(((GpuSupport.Unavailable) support).reason())
        .startsWith(
            "TensorRT backend unavailable: CUDA runtime library not found (tried libcudart.so.13,"
                + " libcudart.so.12")
        .endsWith("); install it or set --backend-config=tensorrt,cudart=<file>");
  }
}
