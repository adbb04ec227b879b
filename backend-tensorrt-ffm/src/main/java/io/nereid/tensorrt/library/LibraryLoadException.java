package io.nereid.tensorrt.library;

import java.nio.file.Files;
import java.nio.file.Path;

/** A library is missing or cannot be opened. The message is the linker's own. */
final class LibraryLoadException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean absent;

  private LibraryLoadException(String message, boolean absent) {
    super(message);
    this.absent = absent;
  }

  /**
   * @param file what was to be opened
   * @param message the linker's
   */
  static LibraryLoadException of(String file, String message) {
    // The linker reports a missing dependency in the same words, but names the dependency.
    if (!message.startsWith(file + ": cannot open shared object file: No such file")) {
      return new LibraryLoadException(message, false);
    }
    if (file.indexOf('/') < 0 || !Files.exists(Path.of(file))) {
      return new LibraryLoadException(message, true);
    }
    // glibc's words for a library of another architecture, too.
    return new LibraryLoadException(
        message + " (the file exists: it may be of another architecture)", false);
  }

  /** Whether there is no such library. */
  boolean isAbsent() {
    return absent;
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
