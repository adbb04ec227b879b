package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The loaded TensorRT library. Usable from any thread.
 *
 * <pre>{@code
 * TensorRt tensorRt = TensorRt.open(CudaDevice.count());
 * device.use();
 * try (InferenceRuntime runtime = tensorRt.createRuntime(device.name());
 *     CudaEngine engine = runtime.deserialize(plan);
 *     ExecutionContext context = engine.createContext(AllocationStrategy.STATIC)) {
 *   ...
 * }
 * }</pre>
 */
public final class TensorRt {
  private static final System.Logger LOG = System.getLogger(TensorRt.class.getName());

  private final TensorRtVersion version;
  private final TensorRtLogger logger = TensorRtLogger.instance();

  private TensorRt(TensorRtVersion version) {
    this.version = version;
  }

  /**
   * Checks the version of the library that is bound as {@code nvinfer} in {@link
   * io.nereid.tensorrt.library.LibraryLookup}.
   *
   * @param devices the number of CUDA devices, at least 1: without one, the factories of TensorRT
   *     fail in ways that a caller cannot tell from success
   * @throws TensorRtException if the version is not supported
   */
  public static TensorRt open(int devices) {
    if (devices < 1) {
      throw new IllegalArgumentException("TensorRT needs a CUDA device");
    }
    var version = new TensorRtVersion(Nvinfer.getInferLibVersion());
    if (!version.isSupported()) {
      throw new TensorRtException("found TensorRT %s; supported are 10 and 11".formatted(version));
    }
    if (version.isNewerThanTables()) {
      LOG.log(
          Level.INFO,
          "TensorRT {0} is newer than the versions that this backend was compared with",
          version);
    }
    return new TensorRt(version);
  }

  public TensorRtVersion version() {
    return version;
  }

  /** The library's {@code ILogger}, for factories of other libraries; never freed. */
  public MemorySegment logger() {
    return logger.address(version);
  }

  /**
   * Creates a runtime for the CUDA device that is current on this thread.
   *
   * @param gpuName the device's name, for messages
   * @throws TensorRtException if TensorRT does not create one
   */
  public InferenceRuntime createRuntime(String gpuName) {
    clearError();
    MemorySegment address = Nvinfer.createInferRuntime_INTERNAL(logger(), version.number());
    return new InferenceRuntime(this, take("IRuntime", address, null), gpuName);
  }

  /**
   * Creates an {@code IBuilder} for the CUDA device that is current on this thread.
   *
   * @throws TensorRtException if TensorRT does not create one
   */
  public NativeObject createBuilder() {
    clearError();
    MemorySegment address = Nvinfer.createInferBuilder_INTERNAL(logger(), version.number());
    return take("IBuilder", address, null);
  }

  /**
   * Takes an object that a method of TensorRT has returned.
   *
   * @throws TensorRtException with TensorRT's text if {@code address} is null
   */
  public NativeObject take(String type, MemorySegment address, @Nullable NativeObject parent) {
    if (NativeObject.isNull(address)) {
      throw failure("TensorRT created no " + type);
    }
    return NativeObject.take(type, address, parent);
  }

  /** Forgets the error lines of this thread; called before what {@link #failure} explains. */
  public void clearError() {
    logger.clear();
  }

  /** TensorRT's error lines on this thread since {@link #clearError}, or that there are none. */
  public String lastError() {
    String line = logger.lastError();
    return line == null ? "TensorRT gave no reason" : line;
  }

  /**
   * The exception for a call that has failed on this thread.
   *
   * @param what such as {@code "cannot set the shape of input 'x'"}
   */
  public TensorRtException failure(String what) {
    return failure(what, null);
  }

  TensorRtException failure(String what, @Nullable Throwable cause) {
    return new TensorRtException("%s: %s".formatted(what, lastError()), cause);
  }
}
