package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are no regular ones; tests that need them are skipped where there are none. */
public final class SpecialFiles {
  private SpecialFiles() {}

  /** A pipe in a directory, into which nothing is ever written. */
  public static Path pipe(Path directory) throws IOException, InterruptedException {
    return pipe(directory, "pipe");
  }

  static Path pipe(Path directory, String name) throws IOException, InterruptedException {
    assumeThat(Path.of("/usr/bin/mkfifo")).exists();
    Path pipe = directory.resolve(name);
    assertThat(new ProcessBuilder("/usr/bin/mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  /** A link to a device that can be read without an end. */
  public static Path device(Path directory) throws IOException {
    Path device = Path.of("/dev/zero");
    assumeThat(device).exists();
    return Files.createSymbolicLink(directory.resolve("device"), device);
  }
}
