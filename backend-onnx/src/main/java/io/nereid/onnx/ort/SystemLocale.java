package io.nereid.onnx.ort;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The locale that ONNX's operator {@code StringNormalizer} needs unless its attribute {@code
 * locale} names another; converters of text pipelines, such as skl2onnx, leave it out. Systems with
 * the GNU C library may lack it, as containers do.
 */
public final class SystemLocale {
  /** Its name. */
  public static final String NAME = "en_US.UTF-8";

  /** What helps where it is missing. */
  public static final String CURE =
      "install it (on Debian 'apt-get install locales' and 'localedef -i en_US -f UTF-8 "
          + NAME
          + "'), or name one that each system has in the file, for each of these nodes:"
          + " node.attribute.append(onnx.helper.make_attribute('locale', 'C.UTF-8'))";

  private static final long LC_ALL_MASK = 8127; // locale.h of glibc

  private SystemLocale() {}

  /** Whether the system lacks it; false where that is not known. */
  public static boolean isMissing() {
    Optional<MemorySegment> open = Downcalls.function("newlocale");
    Optional<MemorySegment> free = Downcalls.function("freelocale");
    if (!System.getProperty("os.name", "").startsWith("Linux")
        || open.isEmpty()
        || free.isEmpty()) {
      return false;
    }
    try (var arena = Arena.ofConfined()) {
      long locale = Downcalls.call(open.get(), LC_ALL_MASK, arena.allocateFrom(NAME).address(), 0);
      if (locale != 0) {
        var _ = Downcalls.call(free.get(), locale);
      }
      return locale == 0;
    }
  }
}
