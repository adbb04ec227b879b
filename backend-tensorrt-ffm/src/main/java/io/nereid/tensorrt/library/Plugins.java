package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * Plugins: layers that plans use and that are not part of TensorRT's core. A library of plugins
 * registers those that it has when it is opened, TensorRT's own when its function is called. One
 * that fails is an error in the log; plans that use it then fail to load, with TensorRT's message.
 */
public final class Plugins {
  private static final System.Logger LOG = System.getLogger(Plugins.class.getName());

  /** NvInferPlugin.h: {@code bool initLibNvInferPlugins(void *logger, char const *namespace)}. */
  private static final String REGISTER = "initLibNvInferPlugins";

  private Plugins() {}

  /** Opens the operator's libraries, for the rest of the process. */
  public static void open(List<String> files) {
    for (String file : files) {
      try {
        NativeLibrary opened = new DynamicLinker().open(Path.of(file).toAbsolutePath().toString());
        LOG.log(Level.INFO, "plugin library {0}", opened.path());
      } catch (LibraryLoadException failure) {
        LOG.log(
            Level.ERROR,
            "plugin library ''{0}'' cannot be opened: {1}",
            file,
            failure.getMessage());
      }
    }
  }

  /**
   * Registers the plugins of TensorRT's plugin library, if there is one.
   *
   * @param logger an {@code ILogger} that is never freed
   */
  public static void register(GpuSupport.OptionalLibrary plugins, MemorySegment logger) {
    if (plugins.library().isEmpty()) {
      LOG.log(Level.DEBUG, "no plugins of TensorRT: {0}", plugins.lack().orElseThrow());
      return;
    }
    NativeLibrary library = plugins.library().get();
    if (!library.has(REGISTER) || !register(library, logger)) {
      LOG.log(Level.ERROR, "the plugins of {0} cannot be registered", library.path());
    }
  }

  private static boolean register(NativeLibrary library, MemorySegment logger) {
    MethodHandle call =
        Linker.nativeLinker()
            .downcallHandle(
                library.symbols().findOrThrow(REGISTER),
                FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS, ADDRESS));
    try (var arena = Arena.ofConfined()) {
      return (boolean) call.invokeExact(logger, arena.allocateFrom(""));
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected(REGISTER, thrown);
    }
  }
}
