package io.nereid.engine.telemetry.trace.file;

import io.nereid.engine.file.OwnerOnly;
import io.nereid.engine.telemetry.trace.TraceDestination;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of one path: the file itself, to which traces are added, and those with a number. Files
 * that exist are replaced, others are their owner's alone. Each is a JSON array after every write.
 * There are so many, of so many bytes, as the operator allows; those that are moved or deleted
 * count no longer. Used by one thread.
 */
final class TraceFile implements AutoCloseable {
  /** What an empty file takes of the disk at least, so that many small ones are counted too. */
  private static final int MIN_SIZE = 4096;

  private record Numbered(Path path, long byteSize) {}

  private final TraceDestination.Files limits;
  private final Path path;

  /** Those that are counted, the first first. */
  private final Deque<Numbered> numbered = new ArrayDeque<>();

  private long numberedBytes;
  private int next;

  /** Of the file without a number; null if there is none. */
  private @Nullable FileChannel channel;

  /** The size of that file behind the last write. */
  private long end;

  /** The limit that is reached, as a sentence; empty if none is. */
  private Optional<String> full = Optional.empty();

  TraceFile(TraceDestination.Files limits) {
    this.limits = limits;
    this.path = Path.of(limits.path());
  }

  /**
   * The limit that is reached, as a sentence: elements of that size must not be written then. Empty
   * if there is room for them. A limit that was reached is so until files are moved or deleted,
   * those with the lowest numbers first, or the file without a number is emptied.
   */
  Optional<String> reached(int byteSize, boolean isNumbered) throws IOException {
    if (full.isEmpty() || isRoomMade()) {
      full = limit(byteSize, isNumbered);
    }
    return full;
  }

  private Optional<String> limit(int byteSize, boolean isNumbered) throws IOException {
    if (isNumbered && numbered.size() >= limits.maxFiles()) {
      return Optional.of(
          "there are %d files of traces, the limit of --trace-config=triton,max-files"
              .formatted(limits.maxFiles()));
    }
    long written = numberedBytes + (channel == null ? 0 : channel.size());
    return Math.max(byteSize + 2, MIN_SIZE) <= limits.maxBytes() - written
        ? Optional.empty()
        : Optional.of(
            "the files of traces have reached %d bytes, the limit of --trace-config=triton,max-bytes"
                .formatted(limits.maxBytes()));
  }

  /** Forgets files that are not there any more; returns whether there were some. */
  private boolean isRoomMade() throws IOException {
    boolean isMade = false;
    while (!numbered.isEmpty() && !Files.exists(numbered.getFirst().path())) {
      numberedBytes -= numbered.removeFirst().byteSize();
      isMade = true;
    }
    if (channel != null && !Files.exists(path)) {
      close();
      isMade = true;
    }
    return isMade || (channel != null && channel.size() < end);
  }

  /** Writes elements, separated by commas, to the next file with a number. */
  void writeNext(byte[] elements) throws IOException {
    Path target = Path.of(path + "." + next);
    OwnerOnly.createFile(target);
    Files.write(target, enclosed('[', elements));
    next++; // one that could not be written whole is replaced
    var written = new Numbered(target, Math.max(elements.length + 2, MIN_SIZE));
    numbered.add(written);
    numberedBytes += written.byteSize();
  }

  /** Adds elements, separated by commas, to the file. */
  void append(byte[] elements) throws IOException {
    FileChannel target = channel;
    if (target == null) {
      OwnerOnly.createFile(path);
      target =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      channel = target;
    }
    long before = target.size();
    try {
      if (before == 0) {
        write(target, 0, enclosed('[', elements));
      } else {
        write(target, before - 1, enclosed(',', elements)); // over the bracket
      }
      end = target.size();
    } catch (IOException failed) {
      restore(target, before, failed);
      if (!Files.exists(path)) { // it was moved or deleted, and has its space until it is closed
        close();
      }
      throw failed;
    }
  }

  /** Makes the file what it was before a write that has failed. */
  private static void restore(FileChannel target, long size, IOException failed) {
    try {
      target.truncate(size);
      if (size > 0) {
        write(target, size - 1, new byte[] {']'});
      }
    } catch (IOException again) {
      failed.addSuppressed(again);
    }
  }

  private static byte[] enclosed(char first, byte[] elements) {
    byte[] text = new byte[elements.length + 2];
    text[0] = (byte) first;
    System.arraycopy(elements, 0, text, 1, elements.length);
    text[text.length - 1] = ']';
    return text;
  }

  private static void write(FileChannel target, long position, byte[] text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text);
    while (bytes.hasRemaining()) {
      target.write(bytes, position + bytes.position());
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
