package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Collections;

/**
 * Calls of C functions whose parameters and results are pointers, sizes and enumerations.
 *
 * <p>The calling conventions in use (System V and Windows on x64, AAPCS64) pass each of these as a
 * 64-bit word, so one method handle serves all functions with the same number of parameters. The
 * handles are static constants, which the compiler can inline; handles per function in instance
 * fields would not be. Pointers are {@code long}s, so a call allocates nothing.
 */
final class Downcalls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle CALL_0 = handle(0);
  private static final MethodHandle CALL_1 = handle(1);
  private static final MethodHandle CALL_2 = handle(2);
  private static final MethodHandle CALL_3 = handle(3);
  private static final MethodHandle CALL_4 = handle(4);
  private static final MethodHandle CALL_5 = handle(5);
  private static final MethodHandle CALL_7 = handle(7);
  private static final MethodHandle CALL_8 = handle(8);

  private Downcalls() {}

  private static MethodHandle handle(int parameters) {
    var words = Collections.nCopies(parameters, JAVA_LONG).toArray(MemoryLayout[]::new);
    return LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, words));
  }

  static long call(MemorySegment function) {
    try {
      return (long) CALL_0.invokeExact(function);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a) {
    try {
      return (long) CALL_1.invokeExact(function, a);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a, long b) {
    try {
      return (long) CALL_2.invokeExact(function, a, b);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a, long b, long c) {
    try {
      return (long) CALL_3.invokeExact(function, a, b, c);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a, long b, long c, long d) {
    try {
      return (long) CALL_4.invokeExact(function, a, b, c, d);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e) {
    try {
      return (long) CALL_5.invokeExact(function, a, b, c, d, e);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g) {
    try {
      return (long) CALL_7.invokeExact(function, a, b, c, d, e, f, g);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  static long call(
      MemorySegment function, long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) CALL_8.invokeExact(function, a, b, c, d, e, f, g, h);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  /**
   * Sets an environment variable of this process with POSIX's {@code setenv}, visible to native
   * code but not to {@link System#getenv}. No other thread may read the environment in native code
   * at the same time. Does nothing if the C library has no {@code setenv}, as on Windows.
   */
  static void setEnvironmentVariable(String name, String value) {
    LINKER
        .defaultLookup()
        .find("setenv")
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

  /** Calls with words cannot fail in the linker, so only errors of the JVM arrive here. */
  private static Error unexpected(Throwable thrown) {
    return thrown instanceof Error error ? error : new AssertionError("downcall failed", thrown);
  }
}
