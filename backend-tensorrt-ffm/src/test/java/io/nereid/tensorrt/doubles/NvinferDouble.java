package io.nereid.tensorrt.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.nereid.tensorrt.library.LibraryLookup;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;

/**
 * The controls of {@code nvinfer_double.c}, the double of libnvinfer that the bindings of this
 * process use. What the double does is described there; its plans are written with {@link
 * PlanText}.
 *
 * <p>Faults, call counts, violations and counters are those of {@link CudartDouble}: methods have
 * names such as {@code IExecutionContext_enqueueV3}, and there is a counter of live objects for
 * each class, such as {@code ICudaEngine}.
 */
public final class NvinferDouble {
  /** TensorRT 10.15.1, the version after a reset. */
  public static final int VERSION_10 = 10_15_01;

  /** TensorRT 11.1.0. */
  public static final int VERSION_11 = 11_01_00;

  /** The GPU that plans must be for. */
  public static final String GPU = "Double GPU";

  private static volatile boolean loaded;

  private static final class Holder {
    static final NvinferDouble INSTANCE = new NvinferDouble();
  }

  private final SymbolLookup library;

  private NvinferDouble() {
    CudartDouble.get();
    this.library = NativeDoubles.open("nvinfer_double.c", CudartDouble.path());
    LibraryLookup.bind("nvinfer", library);
  }

  /** The double, compiled, loaded and bound by the first call, as that of libcudart is. */
  public static NvinferDouble get() {
    loaded = true;
    return Holder.INSTANCE;
  }

  /** The library of the double, for doubles that are linked with it. */
  public static Path path() {
    return NativeDoubles.compile("nvinfer_double.c", CudartDouble.path());
  }

  /** The symbols of the library. */
  public SymbolLookup library() {
    return library;
  }

  static void resetIfLoaded() {
    if (loaded) {
      get().reset();
    }
  }

  /** Restores the defaults: {@link #VERSION_10} and {@link #GPU}. */
  public void reset() {
    call("double_reset_nvinfer");
  }

  /** Sets the version, which decides the layout of all tables; there must be no objects. */
  public void setVersion(int version) {
    call("double_set_version", version);
  }

  /** Sets the GPU that plans must be for, and that built plans are for. */
  public void setGpu(String name) {
    try (var arena = Arena.ofConfined()) {
      call("double_set_gpu", arena.allocateFrom(name));
    }
  }

  /** Lets the factory of runtimes return 0x238, as that of TensorRT 10.15.1 does without a GPU. */
  public void setSmallAddress(boolean returns) {
    call("double_set_small_address", returns);
  }

  /**
   * Writes a log line from a thread that the JVM does not know, and waits for it.
   *
   * @param logger an {@code ILogger} in the layout of the version
   */
  public void logFromThread(MemorySegment logger, int severity, String text) {
    try (var arena = Arena.ofConfined()) {
      call("double_log_from_thread", logger, severity, arena.allocateFrom(text));
    }
  }

  private void call(String function, Object... arguments) {
    var layouts = new MemoryLayout[arguments.length];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] =
          switch (arguments[i]) {
            case Integer _ -> JAVA_INT;
            case Boolean _ -> JAVA_BOOLEAN;
            case MemorySegment _ -> ADDRESS;
            default -> throw new IllegalArgumentException(arguments[i].getClass().getName());
          };
    }
    var handle =
        Linker.nativeLinker()
            .downcallHandle(library.findOrThrow(function), FunctionDescriptor.ofVoid(layouts));
    try {
      handle.invokeWithArguments(arguments);
    } catch (Throwable failed) {
      throw new AssertionError(function, failed);
    }
  }
}
