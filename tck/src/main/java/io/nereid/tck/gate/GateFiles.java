package io.nereid.tck.gate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A gate made of files, for tests that run in another process than the server: an execution that
 * begins creates a file {@code entered-<instance>}, and goes on once there is a file {@code open}.
 *
 * @param model the model's directory
 */
public record GateFiles(Path model) {
  private static final String ENTERED = "entered-";

  /** Opens the gate for all executions. */
  public void open() throws IOException {
    Files.writeString(model.resolve("open"), "");
  }

  /** The number of instances on which an execution has begun. */
  public long entered() throws IOException {
    try (Stream<Path> files = Files.list(model)) {
      return files.filter(file -> file.getFileName().toString().startsWith(ENTERED)).count();
    }
  }

  /** Holds an execution of that instance until the gate is open. */
  void pass(String instance) {
    try {
      Files.writeString(model.resolve(ENTERED + instance), "");
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    while (!Files.exists(model.resolve("open"))) {
      LockSupport.parkNanos(2_000_000);
    }
  }
}
