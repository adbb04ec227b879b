package io.nereid.tensorrt.build.onnx;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/**
 * A reader of a file in protobuf's wire format, which skips what is not asked for: of a model of
 * gigabytes it reads some kilobytes. One thread uses it.
 *
 * <pre>{@code
 * while (file.next(end)) {
 *   switch (file.field()) {
 *     case 1 -> name = file.string();
 *     default -> file.skip();
 *   }
 * }
 * }</pre>
 *
 * @see <a href="https://protobuf.dev/programming-guides/encoding/">Protocol Buffers, Encoding</a>
 */
final class ProtoFile {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  /** Names and paths are shorter; a longer string means that the file is something else. */
  private static final long MAX_STRING = 1 << 16;

  private final FileChannel channel;
  private final long byteSize;
  private final ByteBuffer buffer = ByteBuffer.allocate(8192).limit(0);

  /** Where {@link #buffer} begins in the file. */
  private long bufferStart;

  private int field;
  private int wireType;

  ProtoFile(FileChannel channel) throws IOException {
    this.channel = channel;
    this.byteSize = channel.size();
  }

  long byteSize() {
    return byteSize;
  }

  /** Reads the number of the next field; false at {@code end}. */
  boolean next(long end) throws IOException {
    if (position() == end) {
      return false;
    }
    if (position() > end) {
      throw new IOException("a field is longer than the message that it is in");
    }
    long tag = varint();
    field = (int) (tag >>> 3);
    wireType = (int) (tag & 7);
    return true;
  }

  int field() {
    return field;
  }

  /** The value of a field that is a number. */
  long number() throws IOException {
    require(VARINT);
    return varint();
  }

  /** Where the message ends that the field contains; it begins here. */
  long message() throws IOException {
    require(LENGTH);
    long length = varint();
    if (length < 0 || length > byteSize - position()) {
      throw new EOFException("a field goes beyond the end of the file");
    }
    return position() + length;
  }

  String string() throws IOException {
    long end = message();
    long length = end - position();
    if (length > MAX_STRING) {
      throw new IOException("a name has %d bytes".formatted(length));
    }
    byte[] bytes = new byte[(int) length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = next();
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Skips the value of the field. */
  void skip() throws IOException {
    switch (wireType) {
      case VARINT -> varint();
      case FIXED64 -> seek(position() + Long.BYTES);
      case LENGTH -> seek(message());
      case FIXED32 -> seek(position() + Integer.BYTES);
      default -> throw new IOException("field %d has wire type %d".formatted(field, wireType));
    }
  }

  private void require(int expected) throws IOException {
    if (wireType != expected) {
      throw new IOException(
          "field %d has wire type %d, not %d".formatted(field, wireType, expected));
    }
  }

  private long varint() throws IOException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = next();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IOException("a number has more than ten bytes");
  }

  private byte next() throws IOException {
    if (!buffer.hasRemaining()) {
      bufferStart += buffer.limit();
      buffer.clear();
      if (channel.read(buffer, bufferStart) <= 0) {
        buffer.limit(0);
        throw new EOFException("the file ends within a field");
      }
      buffer.flip();
    }
    return buffer.get();
  }

  private long position() {
    return bufferStart + buffer.position();
  }

  private void seek(long target) throws IOException {
    if (target > byteSize) {
      throw new EOFException("a field goes beyond the end of the file");
    }
    if (target <= bufferStart + buffer.limit()) {
      buffer.position((int) (target - bufferStart));
    } else {
      bufferStart = target;
      buffer.limit(0);
    }
  }
}
