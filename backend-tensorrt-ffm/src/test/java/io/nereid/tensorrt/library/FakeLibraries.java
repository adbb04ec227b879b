package io.nereid.tensorrt.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.tensorrt.doubles.NativeDoubles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Shared libraries that pose as those of CUDA and TensorRT, a few lines of C each, compiled with
 * {@code cc}. They have the functions that a search calls, and as many others as it looks for.
 */
final class FakeLibraries {
  private FakeLibraries() {}

  /**
   * A CUDA runtime.
   *
   * @param countStatus what {@code cudaGetDeviceCount} returns
   */
  record FakeCudart(int countStatus, int devices, int driver, int runtime, String missing) {
    static FakeCudart working() {
      return new FakeCudart(0, 2, 13010, 13000, "");
    }

    FakeCudart failing(int status) {
      return new FakeCudart(status, devices, driver, runtime, missing);
    }

    FakeCudart withDevices(int count) {
      return new FakeCudart(countStatus, count, driver, runtime, missing);
    }

    FakeCudart withDriver(int version) {
      return new FakeCudart(countStatus, devices, version, runtime, missing);
    }

    FakeCudart withRuntime(int version) {
      return new FakeCudart(countStatus, devices, driver, version, missing);
    }

    /** The same library without a function. */
    FakeCudart without(String function) {
      return new FakeCudart(countStatus, devices, driver, runtime, function);
    }

    Path compile(Path file) {
      List<String> written =
          List.of(
              "cudaGetDeviceCount",
              "cudaDriverGetVersion",
              "cudaRuntimeGetVersion",
              "cudaGetErrorName",
              "cudaGetErrorString",
              "cudaDeviceGetAttribute",
              "cudaGetDeviceProperties");
      String others =
          CudaQuery.functions().stream()
              .filter(name -> !written.contains(name) && !name.equals(missing))
              .map("int %s(void) { return 999; }\n"::formatted)
              .collect(Collectors.joining());
      return FakeLibraries.compile(
          file,
          """
          #include <stdio.h>
          #include <string.h>
          int cudaGetDeviceCount(int *count) { *count = %d; return %d; }
          int cudaDriverGetVersion(int *version) { *version = %d; return 0; }
          int cudaRuntimeGetVersion(int *version) { *version = %d; return 0; }
          const char *cudaGetErrorName(int code) {
            return code == 35 ? "cudaErrorInsufficientDriver"
                : code == 100 ? "cudaErrorNoDevice" : "cudaErrorSystemDriverMismatch";
          }
          const char *cudaGetErrorString(int code) { return "a text of CUDA"; }
          int cudaDeviceGetAttribute(int *value, int attribute, int device) {
            *value = attribute == 75 ? 9 : attribute == 76 ? device : -1;
            return 0;
          }
          int cudaGetDeviceProperties(char *properties, int device) {
            unsigned long long memory = 80ULL << 30;
            sprintf(properties, "Fake GPU %%d", device);
            memcpy(properties + 288, &memory, sizeof memory);
            return 0;
          }
          """
                  .formatted(devices, countStatus, driver, runtime)
              + others);
    }
  }

  /** A TensorRT library; its factory ends the process. */
  static Path compileNvinfer(Path file, int version) {
    return compile(
        file,
        """
        #include <stdlib.h>
        int getInferLibVersion(void) { return %d; }
        void *createInferRuntime_INTERNAL(void *logger, int version) { abort(); }
        """
            .formatted(version));
  }

  /** A library that does nothing. */
  static Path compileEmpty(Path file) {
    return compile(file, "int nothing(void) { return 0; }\n");
  }

  /** A file that is no library. */
  static Path writeText(Path file) {
    try {
      Files.createDirectories(parent(file));
      return Files.writeString(
          file, "not a library, but long enough to have an ELF header\n".repeat(8));
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Compiles a shared library; skips the test if there is no compiler. */
  static Path compile(Path file, String source, String... flags) {
    assumeTrue(NativeDoubles.isSupported(), "SKIPPED: there is no C compiler (cc)");
    try {
      Files.createDirectories(parent(file));
      Path input = Files.writeString(file.resolveSibling(file.getFileName() + ".c"), source);
      var command =
          new ArrayList<>(
              List.of("cc", "-shared", "-fPIC", "-o", file.toString(), input.toString()));
      command.addAll(Arrays.asList(flags));
      Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(compiler.waitFor()).as(output).isZero();
      Files.delete(input);
      return file;
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private static Path parent(Path file) {
    return Objects.requireNonNull(file.getParent());
  }
}
