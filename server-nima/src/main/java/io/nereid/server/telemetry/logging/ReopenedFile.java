package io.nereid.server.telemetry.logging;

import io.nereid.engine.file.OwnerOnly;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that is appended to, and may be renamed or removed meanwhile, as tools that rotate logs
 * do: a write at least a second after the last look finds that out, and goes to a new file of the
 * same path. If that cannot be opened, the old file is written on. What is created is its owner's
 * alone. Thread-safe.
 */
public final class ReopenedFile extends OutputStream {
  private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

  private final Path path;
  private final LongSupplier clock;
  private OutputStream output;

  /** The file's identity; null if the system has none, or it could not be read. */
  private @Nullable Object key;

  private long lookedNanos;

  private ReopenedFile(Path path, LongSupplier clock, OutputStream output) {
    this.path = path;
    this.clock = clock;
    this.output = output;
    key = key(path);
    lookedNanos = clock.getAsLong();
  }

  /**
   * Opens a file, which is created if there is none.
   *
   * @param clock nanoseconds from any origin
   * @throws IOException if it cannot be opened
   */
  public static ReopenedFile open(Path path, LongSupplier clock) throws IOException {
    return new ReopenedFile(path, clock, append(path));
  }

  private static OutputStream append(Path path) throws IOException {
    OwnerOnly.createFile(path);
    return new FileOutputStream(path.toFile(), true);
  }

  private static @Nullable Object key(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException removed) {
      return null;
    }
  }

  @Override
  public synchronized void write(int value) throws IOException {
    reopenIfMoved();
    output.write(value);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    reopenIfMoved();
    output.write(bytes, offset, length);
  }

  private void reopenIfMoved() throws IOException {
    long now = clock.getAsLong();
    if (now - lookedNanos < INTERVAL_NANOS) {
      return;
    }
    lookedNanos = now;
    if (Files.exists(path) && Objects.equals(key, key(path))) {
      return;
    }
    OutputStream next;
    try {
      next = append(path);
    } catch (IOException unavailable) { // such as no permission; the next look tries again
      return;
    }
    output.close();
    output = next;
    key = key(path);
  }

  @Override
  public synchronized void close() throws IOException {
    output.close();
  }
}
