package io.nereid.engine.scheduling.journal;

import io.nereid.engine.file.OwnerOnly;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Where a scheduler journal is, and how large it becomes.
 *
 * @param maxBytes the journal ends before it has more
 */
public record JournalFile(Path path, long maxBytes) {
  /** Some twenty million requests in batches of eight. */
  public static final long DEFAULT_MAX_BYTES = 1L << 30;

  /**
   * Begins the file, which is its owner's alone. An existing one that is not empty is renamed to
   * {@code <file>.previous}.
   *
   * @return fails once the file has reached its size
   */
  OutputStream begin() throws IOException {
    if (Files.exists(path) && Files.size(path) > 0) {
      Path previous = path.resolveSibling(path.getFileName() + ".previous");
      Files.move(path, previous, StandardCopyOption.REPLACE_EXISTING);
    }
    OwnerOnly.createFile(path);
    return new Limited(Files.newOutputStream(path));
  }

  private final class Limited extends FilterOutputStream {
    private long left = maxBytes;

    Limited(OutputStream file) {
      super(file);
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      int fitting = (int) Math.min(length, left);
      out.write(bytes, offset, fitting); // a record that is cut is ignored when it is read
      left -= fitting;
      if (fitting < length) {
        throw new IOException(
            "it has reached %d bytes (--scheduler-journal-max-bytes)".formatted(maxBytes));
      }
    }
  }
}
