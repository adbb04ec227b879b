package io.nereid.server.doctor;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.spi.Check;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Something that a server opens before it serves, and that is tried here: files, certificates,
 * parts that are jars.
 *
 * @param subject what it is, such as {@code access log}
 * @param option of the command line
 * @param attempt opens it and closes it again; leaves nothing behind
 */
record StartupResource(String subject, String option, Attempt attempt) {
  /** Opens something. */
  @FunctionalInterface
  interface Attempt {
    /**
     * Opens it, and closes it again.
     *
     * @return what was found, one line
     * @throws IOException if it cannot be opened
     * @throws InferenceException the same
     */
    String run() throws IOException;
  }

  /** A file that is appended to, and made if it is missing. */
  static StartupResource ofFile(String subject, String option, Path file) {
    return new StartupResource(
        subject,
        option,
        () -> {
          requireWritable(file);
          return file + " can be written";
        });
  }

  private static void requireWritable(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "is a directory");
    }
    if (Files.isRegularFile(file)) {
      FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND).close();
    } else if (!Files.exists(file)) {
      Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
      Files.delete(Files.createTempFile(folder, "nereid-doctor", null));
    } else if (!Files.isWritable(file)) {
      throw new FileSystemException(file.toString(), null, "permission denied");
    }
  }

  Check check() {
    try {
      return Check.ok(subject, attempt.run());
    } catch (IOException failure) {
      return failed(IoReason.withPath(failure));
    } catch (InferenceException failure) {
      return failed(failure.getMessage());
    }
  }

  private Check failed(String reason) {
    return Check.problem(subject, reason, "change " + option);
  }
}
