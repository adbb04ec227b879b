package io.nereid.server.metrics.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.server.support.NativeFolder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code nvml_double.c}, compiled and loaded, and its controls. */
final class NvmlDouble {
  static final String FIRST = "GPU-00000000-1111-2222-3333-444444444444";
  static final String SECOND = "GPU-10000000-1111-2222-3333-444444444444";
  static final int NOT_SUPPORTED = 3;
  static final int NO_PERMISSION = 4;
  static final int GPU_IS_LOST = 15;

  private static final Path SOURCE = Path.of("src/test/native/nvml_double.c");

  private record Library(Path path, SymbolLookup symbols) {}

  private static final class Current {
    static final Library LIBRARY = compile("CURRENT");
  }

  private static final class Before510 {
    static final Library LIBRARY = compile("BEFORE_510");
  }

  private final Library library;

  /** The double with its defaults; skips the test where there is no C compiler. */
  NvmlDouble() {
    this(true);
  }

  private NvmlDouble(boolean current) {
    assumeTrue(haveCompiler(), "there is no C compiler 'cc' for the double of NVML");
    library = current ? Current.LIBRARY : Before510.LIBRARY;
    reset();
  }

  /** The double of a driver that does not tell reserved memory from used memory. */
  static NvmlDouble before510() {
    return new NvmlDouble(false);
  }

  private static boolean haveCompiler() {
    try {
      return run(List.of("cc", "--version")) == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  private static Library compile(String driver) {
    Path library = NativeFolder.PATH.resolve("libnvml_double_" + driver + ".so").toAbsolutePath();
    try {
      Files.createDirectories(library.getParent());
      int exit =
          run(
              List.of(
                  "cc",
                  "-O1",
                  "-shared",
                  "-fPIC",
                  "-pthread",
                  "-D" + driver,
                  "-o",
                  library.toString(),
                  SOURCE.toString()));
      if (exit != 0) {
        throw new AssertionError("cc failed with exit status " + exit);
      }
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
    return new Library(library, SymbolLookup.libraryLookup(library, Arena.global()));
  }

  private static int run(List<String> command) throws IOException {
    try {
      return new ProcessBuilder(command)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start()
          .waitFor();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  String path() {
    return library.path().toString();
  }

  /** Restores the defaults, and releases the calls that wait. */
  void reset() {
    call("double_reset", FunctionDescriptor.ofVoid());
  }

  /** Lets a function, or all ({@code *}), fail until the reset. */
  void fail(String function, int status) {
    try (var arena = Arena.ofConfined()) {
      call(
          "double_fail",
          FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT),
          arena.allocateFrom(function),
          status);
    }
  }

  /** Has the calls of a function, after {@code skip} that do not, wait until the reset. */
  void gate(String function, int skip) {
    try (var arena = Arena.ofConfined()) {
      call(
          "double_gate",
          FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT),
          arena.allocateFrom(function),
          skip);
    }
  }

  void awaitWaitingCall() {
    call("double_await_waiting", FunctionDescriptor.ofVoid());
  }

  void awaitShutdown() {
    call("double_await_shutdown", FunctionDescriptor.ofVoid());
  }

  void setEnergy(long millijoules) {
    call("double_set_energy", FunctionDescriptor.ofVoid(JAVA_LONG), millijoules);
  }

  /** How many initializations have had no shutdown. */
  int initialized() {
    return (int) call("double_initialized", FunctionDescriptor.of(JAVA_INT));
  }

  private Object call(String name, FunctionDescriptor type, Object... arguments) {
    MethodHandle function =
        Linker.nativeLinker().downcallHandle(library.symbols().findOrThrow(name), type);
    try {
      Object result = function.invokeWithArguments(arguments);
      return result == null ? 0 : result;
    } catch (Throwable thrown) {
      throw new AssertionError(thrown);
    }
  }
}
