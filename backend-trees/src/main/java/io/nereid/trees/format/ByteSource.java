package io.nereid.trees.format;

import io.nereid.trees.forest.MalformedModelException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The bytes of a file, read once from the first to the last, through a buffer. */
final class ByteSource {
  /** What {@link #peek} returns behind the last byte. */
  static final int END = -1;

  private final InputStream in;
  private final long size;
  private final ByteBuffer buffer;
  private long bufferAt;

  /**
   * @param size of the file: what a count in it is compared with before memory is allocated
   */
  ByteSource(InputStream in, long size, ByteOrder order) {
    this.in = in;
    this.size = size;
    buffer = ByteBuffer.allocate(1 << 16).order(order).limit(0);
  }

  /** The offset of the next byte. */
  long position() {
    return bufferAt + buffer.position();
  }

  /** The next byte, which stays the next; {@link #END} if there is none. */
  int peek() throws IOException {
    return has(1) ? buffer.get(buffer.position()) & 0xFF : END;
  }

  /** The next byte; {@link #END} if there is none. */
  int next() throws IOException {
    return has(1) ? buffer.get() & 0xFF : END;
  }

  byte int8() throws IOException {
    require(Byte.BYTES);
    return buffer.get();
  }

  short int16() throws IOException {
    require(Short.BYTES);
    return buffer.getShort();
  }

  int int32() throws IOException {
    require(Integer.BYTES);
    return buffer.getInt();
  }

  long int64() throws IOException {
    require(Long.BYTES);
    return buffer.getLong();
  }

  float float32() throws IOException {
    return Float.intBitsToFloat(int32());
  }

  double float64() throws IOException {
    return Double.longBitsToDouble(int64());
  }

  /** Text of that many bytes of UTF-8. */
  String text(long length) throws IOException {
    byte[] bytes = new byte[count(length, 1)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = int8();
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  void skip(long bytes) throws IOException {
    count(bytes, 1L);
    for (long left = bytes; left > 0; ) {
      require(1);
      int step = (int) Math.min(left, buffer.remaining());
      buffer.position(buffer.position() + step);
      left -= step;
    }
  }

  /**
   * A count of elements that the file states.
   *
   * @param elementSize the fewest bytes that one takes
   * @throws MalformedModelException if the rest of the file is too short for them
   */
  int count(long stated, long elementSize) throws MalformedModelException {
    long left = Math.max(0, size - position());
    if (stated > left / elementSize) {
      throw endsEarly(size, ": %d are left behind a count of %d".formatted(left, stated));
    }
    if (stated < 0 || stated > Integer.MAX_VALUE - 8) {
      throw failure("follows a count of %d".formatted(stated));
    }
    return (int) stated;
  }

  /** The line without its end; null behind the last one. */
  @org.jspecify.annotations.Nullable
  String line() throws IOException {
    if (peek() == END) {
      return null;
    }
    var line = new ByteArrayOutputStream();
    while (true) {
      int b = next();
      if (b == END || b == '\n') {
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
      line.write(b);
    }
  }

  /** A failure that names the place of the next byte; without one, the file ends early. */
  MalformedModelException failure(String what) {
    return position() < size
        ? new MalformedModelException("byte %d %s".formatted(position(), what))
        : endsEarly(position(), "");
  }

  private static MalformedModelException endsEarly(long bytes, String where) {
    return new MalformedModelException("it ends early, after %d bytes%s".formatted(bytes, where));
  }

  private void require(int bytes) throws IOException {
    if (!has(bytes)) {
      throw endsEarly(bufferAt + buffer.limit(), "");
    }
  }

  private boolean has(int bytes) throws IOException {
    if (buffer.remaining() >= bytes) {
      return true;
    }
    bufferAt += buffer.position();
    buffer.compact();
    while (buffer.position() < bytes) {
      int read = in.read(buffer.array(), buffer.position(), buffer.remaining());
      if (read < 0) {
        break;
      }
      buffer.position(buffer.position() + read);
    }
    buffer.flip();
    return buffer.remaining() >= bytes;
  }
}
