package io.nereid.server.http.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A file of the console, read from the resources beside this class. */
final class ConsoleFile {
  /** The names are letters alone, so none leaves the folder. */
  private static final Pattern NAME = Pattern.compile("[a-z]+\\.(html|css|js|svg)");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private final String contentType;
  private final byte[] bytes;

  private ConsoleFile(String contentType, byte[] bytes) {
    this.contentType = contentType;
    this.bytes = bytes;
  }

  String contentType() {
    return contentType;
  }

  /** The content; not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  /** The file of that name; empty if there is none. */
  static Optional<ConsoleFile> find(String name) {
    var parts = NAME.matcher(name);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try (InputStream file = ConsoleFile.class.getResourceAsStream(name)) {
      return file == null
          ? Optional.empty()
          : Optional.of(
              new ConsoleFile(
                  TYPES.getOrDefault(parts.group(1), "text/plain"), file.readAllBytes()));
    } catch (IOException unreadable) {
      throw new UncheckedIOException("the console's file " + name, unreadable);
    }
  }
}
