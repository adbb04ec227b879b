package io.nereid.tck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The files that come with the TCK, by their path below this package. */
public final class TckFiles {
  private TckFiles() {}

  /** A file's text, which is UTF-8. */
  public static String text(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8);
  }

  public static byte[] bytes(String name) {
    try (InputStream in = TckFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
