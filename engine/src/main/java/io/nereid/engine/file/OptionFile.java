package io.nereid.engine.file;

import io.nereid.error.IoReason;
import java.io.IOException;

/** A file that an option of the command line names. */
public interface OptionFile<T> {
  T open() throws IOException;

  /**
   * Opens the file.
   *
   * @throws IOException if it cannot be opened; the message names the option and the file
   */
  static <T> T open(String option, OptionFile<T> file) throws IOException {
    try {
      return file.open();
    } catch (IOException failure) {
      throw new IOException(
          "the file of %s cannot be opened: %s".formatted(option, IoReason.withPath(failure)),
          failure);
    }
  }
}
