package io.nereid.tensorrt.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.library.FakeLibraries.FakeCudart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The search on machines of fake libraries: the sentence for what is missing. */
class NativeLibrariesTest extends LibrariesUnderTest {
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
  void findsNoCudaOnAMachineWithoutIt() {
    GpuSupport support = NativeLibraries.probe(TypedOptions.of("test", Map.of()));

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
