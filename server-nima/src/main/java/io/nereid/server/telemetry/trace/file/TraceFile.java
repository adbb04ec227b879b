package io.nereid.server.telemetry.trace.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The files of one path: the file itself, to which traces are added, and those with a number. Files
 * that exist are replaced. Each is a JSON array after every write. Used by one thread.
 */
final class TraceFile implements AutoCloseable {
  private final String path;
  private int next;
  private @Nullable FileChannel channel;

  TraceFile(String path) {
    this.path = path;
  }

  /** Writes elements, separated by commas, to the next file with a number. */
  void writeNext(byte[] elements) throws IOException {
    Path target = Path.of(path + "." + next);
    next++;
    Files.write(target, enclosed('[', elements));
  }

  /** Adds elements, separated by commas, to the file. */
  void append(byte[] elements) throws IOException {
    if (channel == null) {
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
