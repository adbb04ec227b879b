package io.nereid.engine.telemetry.trace.file;

import io.nereid.engine.file.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The files of one path: the file itself, to which traces are added, and those with a number. Files
 * that exist are replaced, others are their owner's alone. Each is a JSON array after every write.
 * Used by one thread.
 */
final class TraceFile implements AutoCloseable {
  /** What an empty file takes of the disk at least, so that many small ones are counted too. */
  private static final int MIN_SIZE = 4096;

  private final String path;
  private final long maxBytes;
  private long written;
  private int next;
  private @Nullable FileChannel channel;

  /**
   * @param maxBytes of all files together
   */
  TraceFile(String path, long maxBytes) {
    this.path = path;
    this.maxBytes = maxBytes;
  }

  /** Whether there is room for elements of that size; if not, they must not be written. */
  boolean hasRoom(int byteSize) {
    return Math.max(byteSize + 2, MIN_SIZE) <= maxBytes - written;
  }

  /** Writes elements, separated by commas, to the next file with a number. */
  void writeNext(byte[] elements) throws IOException {
    Path target = Path.of(path + "." + next);
    next++;
    PrivateFile.create(target);
    written += Math.max(elements.length + 2, MIN_SIZE);
    Files.write(target, enclosed('[', elements));
  }

  /** Adds elements, separated by commas, to the file. */
  void append(byte[] elements) throws IOException {
    if (channel == null) {
      PrivateFile.create(Path.of(path));
      channel =
          FileChannel.open(
              Path.of(path),
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      write(channel, 0, enclosed('[', elements));
    } else {
      write(channel, channel.size() - 1, enclosed(',', elements)); // over the bracket
    }
    written += elements.length + 1;
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
    if (channel != null) {
      channel.close();
    }
  }
}
