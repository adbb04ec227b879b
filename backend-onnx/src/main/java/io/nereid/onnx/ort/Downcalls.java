package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.Optional;

/**
 * Calls of C functions whose parameters and results are pointers, sizes and enumerations.
 *
 * <p>The calling conventions in use (System V and Windows on x64, AAPCS64) pass each of these as a
 * 64-bit word, and the caller removes them: a function that gets more words than it has parameters
 * reads the first ones. So one method handle serves all functions, and it has the type of the
 * server's own, which the linker has made before. Each further type would take milliseconds of
 * every start. The handle is a static constant, which the compiler can inline; handles per function
 * in instance fields would not be. Pointers are {@code long}s, so a call allocates nothing.
 */
final class Downcalls {
  private static final int MAX_PARAMETERS = 8;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle CALL = handle();

  private Downcalls() {}

  private static MethodHandle handle() {
    var words = Collections.nCopies(MAX_PARAMETERS, JAVA_LONG).toArray(MemoryLayout[]::new);
    return LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, words));
  }

  static long call(MemorySegment function) {
    return call(function, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  static long call(MemorySegment function, long a) {
    return call(function, a, 0, 0, 0, 0, 0, 0, 0);
  }

  static long call(MemorySegment function, long a, long b) {
    return call(function, a, b, 0, 0, 0, 0, 0, 0);
  }

  static long call(MemorySegment function, long a, long b, long c) {
    return call(function, a, b, c, 0, 0, 0, 0, 0);
  }

  static long call(MemorySegment function, long a, long b, long c, long d) {
    return call(function, a, b, c, d, 0, 0, 0, 0);
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e) {
    return call(function, a, b, c, d, e, 0, 0, 0);
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    return call(function, a, b, c, d, e, f, 0, 0);
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
    return call(function, a, b, c, d, e, f, g, 0);
  }

  static long call(
      MemorySegment function, long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f, g, h);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /** A function of the C library; empty if the system's has none of that name. */
  static Optional<MemorySegment> function(String name) {
    return LINKER.defaultLookup().find(name);
  }

  /**
   * Sets an environment variable of this process with POSIX's {@code setenv}, visible to native
   * code but not to {@link System#getenv}. No other thread may read the environment in native code
   * at the same time. Does nothing if the C library has no {@code setenv}, as on Windows.
   */
  static void setEnvironmentVariable(String name, String value) {
    function("setenv")
        .ifPresent(setenv -> {
          try (var arena = Arena.ofConfined()) {
            long overwrite = 1;
            call(
                setenv,
                arena.allocateFrom(name).address(),
                arena.allocateFrom(value).address(),
                overwrite);
          }
        });
  }

  /**
   * Why the system's loader cannot load a library: what {@code dlerror} says after {@code dlopen},
   * which the JVM keeps to itself. Empty if it can, or on a system without these functions.
   */
  static Optional<String> loadFailure(String library) {
    Optional<MemorySegment> open = function("dlopen");
    Optional<MemorySegment> error = function("dlerror");
    if (open.isEmpty() || error.isEmpty()) {
      return Optional.empty();
    }
    long now = 2; // RTLD_NOW
    try (var arena = Arena.ofConfined()) {
      if (call(open.get(), arena.allocateFrom(library).address(), now) != 0) {
        return Optional.empty();
      }
      long text = call(error.get());
      return text == 0 ? Optional.empty() : Optional.of(OrtApi.text(text));
    }
  }

  /** Calls with words cannot fail in the linker, so only errors of the JVM arrive here. */
  private static Error unexpected(Throwable thrown) {
    return thrown instanceof Error error ? error : new AssertionError("downcall failed", thrown);
  }
}
