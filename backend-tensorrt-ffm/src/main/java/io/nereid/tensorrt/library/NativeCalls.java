package io.nereid.tensorrt.library;

import java.lang.foreign.MemorySegment;

/** What calls of C functions have in common. */
final class NativeCalls {
  private NativeCalls() {}

  /** Copies a NUL-terminated string of a library; empty for a null pointer. */
  static String text(MemorySegment string) {
    // The C declarations are const char *, whose length is unknown.
    return string.address() == 0 ? "" : string.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** What a downcall throws, which no C function does: a bug of ours, or an error of the JVM. */
  static RuntimeException unexpected(String function, Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("call of " + function, thrown);
  }
}
