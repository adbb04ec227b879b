package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.nereid.spi.TypedOptions;
import io.nereid.tensorrt.bindings.cudart.Cudart;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Finds out whether this machine can run engines: the platform, then CUDA's runtime, a driver and a
 * GPU, then TensorRT. The first that is missing ends the search. No function of TensorRT that needs
 * a device is called: without one, some versions return an address that cannot be used.
 *
 * <p>Options of the backend that name files: {@code cudart}, {@code nvinfer}, {@code nvonnxparser},
 * {@code nvinfer-plugin}.
 */
public final class NativeLibraries {
  private static final int MIN_CUDA = 12;
  private static final int MAX_CUDA = 13;
  private static final int MIN_TENSORRT = 10;
  private static final int MAX_TENSORRT = 11;

  private final LibraryEnvironment environment;
  private final LibrarySearch search;

  /**
   * @param options of the backend
   */
  NativeLibraries(LibraryEnvironment environment, LibraryLoader loader, TypedOptions options) {
    this.environment = environment;
    this.search = new LibrarySearch(environment, loader, options);
  }

  /**
   * Searches this machine. Binds nothing.
   *
   * @param options of the backend
   */
  public static GpuSupport probe(TypedOptions options) {
    LibraryEnvironment environment = LibraryEnvironment.current();
    // The dynamic linker is linked once it is needed: another system has other functions.
    return new NativeLibraries(environment, file -> new DynamicLinker().open(file), options)
        .probe();
  }

  GpuSupport probe() {
    try {
      checkPlatform();
      NativeLibrary cudart = require(search.find(LibraryKind.CUDART));
      return withCuda(cudart);
    } catch (LackException lacking) {
      return new GpuSupport.Unavailable(lacking.lack());
    }
  }

  private void checkPlatform() throws LackException {
    String os = environment.os();
    String architecture = environment.architecture();
    boolean known =
        switch (architecture.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64", "aarch64" -> true;
          default -> false;
        };
    if (!known || !os.equalsIgnoreCase("linux")) {
      throw new LackException(
          "not supported on %s/%s".formatted(os, architecture),
          "it needs Linux on x86-64 or aarch64");
    }
  }

  private GpuSupport withCuda(NativeLibrary cudart) throws LackException {
    var cuda = new CudaQuery(cudart);
    String setting = LibraryKind.CUDART.setting();
    if (!cudart.has("cudaRuntimeGetVersion")) {
      throw new LackException(
          "'%s' is no CUDA runtime: it has no function cudaRuntimeGetVersion"
              .formatted(cudart.path()),
          "set " + setting);
    }
    int runtime;
    int driver;
    List<GpuDevice> devices;
    try {
      runtime = cuda.runtimeVersion();
      int major = runtime / 1000;
      if (major < MIN_CUDA || major > MAX_CUDA) {
        throw new LackException(
            "found CUDA runtime %s; supported are %d and %d"
                .formatted(Versions.cuda(runtime), MIN_CUDA, MAX_CUDA),
            "set %s instead of '%s'".formatted(setting, cudart.path()));
      }
      List<String> missing = cuda.missingFunctions();
      if (!missing.isEmpty()) {
        throw new LackException(
            "CUDA runtime '%s' has no function %s"
                .formatted(cudart.path(), String.join(", ", missing)),
            "install a complete one or set " + setting);
      }
      driver = cuda.driverVersion();
      devices = cuda.devices(countDevices(cuda, driver, runtime));
    } catch (CudaQuery.Failure failure) {
      throw new LackException(
          "CUDA cannot be used: " + failure.getMessage(),
          "look for the cause with nvidia-smi and in the system's log");
    }
    return withTensorRt(cudart, driver, runtime, devices);
  }

  private static int countDevices(CudaQuery cuda, int driver, int runtime)
      throws CudaQuery.Failure, LackException {
    int count = 0;
    try {
      count = cuda.deviceCount();
    } catch (CudaQuery.Failure failure) {
      if (failure.code() == Cudart.cudaErrorInsufficientDriver()) {
        throw new LackException(
            "no usable NVIDIA driver (%s): driver %s, runtime CUDA %s"
                .formatted(
                    failure.errorName(),
                    driver == 0 ? "none" : "for CUDA " + Versions.cuda(driver),
                    Versions.cuda(runtime)),
            "install a driver for CUDA %d or newer".formatted(runtime / 1000));
      }
      if (failure.code() != Cudart.cudaErrorNoDevice()) {
        throw failure;
      }
    }
    if (count == 0) {
      throw new LackException(
          "no NVIDIA GPU visible (cudaErrorNoDevice)",
          "check nvidia-smi, CUDA_VISIBLE_DEVICES, and whether the container has GPUs");
    }
    return count;
  }

  private GpuSupport withTensorRt(
      NativeLibrary cudart, int driver, int runtime, List<GpuDevice> devices) throws LackException {
    NativeLibrary nvinfer = require(search.find(LibraryKind.NVINFER));
    String setting = LibraryKind.NVINFER.setting();
    for (String function : List.of("getInferLibVersion", "createInferRuntime_INTERNAL")) {
      if (!nvinfer.has(function)) {
        throw new LackException(
            "TensorRT library '%s' has no function %s".formatted(nvinfer.path(), function),
            "set " + setting);
      }
    }
    int version = version(nvinfer);
    int major = Versions.tensorRtMajor(version);
    if (major < MIN_TENSORRT || major > MAX_TENSORRT) {
      throw new LackException(
          "found TensorRT %s; supported are %d and %d"
              .formatted(Versions.tensorRt(version), MIN_TENSORRT, MAX_TENSORRT),
          "set %s instead of '%s'".formatted(setting, nvinfer.path()));
    }
    var neighbour = Path.of(nvinfer.path());
    return new GpuSupport.Available(
        cudart,
        driver,
        runtime,
        devices,
        nvinfer,
        version,
        search.find(LibraryKind.ONNX_PARSER, major, neighbour),
        search.find(LibraryKind.PLUGINS, major, neighbour));
  }

  private static int version(NativeLibrary nvinfer) {
    String function = "getInferLibVersion";
    MethodHandle call =
        Linker.nativeLinker()
            .downcallHandle(
                nvinfer.symbols().findOrThrow(function), FunctionDescriptor.of(JAVA_INT));
    try {
      return (int) call.invokeExact();
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected(function, thrown);
    }
  }

  private static NativeLibrary require(GpuSupport.OptionalLibrary found) throws LackException {
    return found.library().orElseThrow(() -> new LackException(found.lack().orElseThrow()));
  }

  /** Ends a search that cannot succeed any more. */
  private static final class LackException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Lack lack;

    private LackException(Lack lack) {
      super(lack.toString());
      this.lack = lack;
    }

    private LackException(String cause, String cure) {
      this(new Lack(cause, cure));
    }

    private Lack lack() {
      return lack;
    }
  }
}
