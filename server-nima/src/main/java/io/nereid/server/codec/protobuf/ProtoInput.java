package io.nereid.server.codec.protobuf;

import io.nereid.error.InferenceException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reader of protobuf's wire format from a chain of buffers. The buffers are not joined: bytes are
 * copied once, from the transport's buffer to their destination. Malformed bytes cause an {@link
 * InferenceException} INVALID_ARGUMENT. For one thread.
 */
public final class ProtoInput {
  /** A chain of buffers. */
  @FunctionalInterface
  public interface Chunks {
    /** The next buffer, not empty; null at the end. Invalidates the buffer before it. */
    @Nullable ByteBuffer next();
  }

  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int LENGTH_DELIMITED = 2;
  static final int FIXED32 = 5;

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final Chunks chunks;
  private ByteBuffer chunk = EMPTY;

  /** The bytes of the input after {@link #chunk}. */
  private long bytesAfterChunk;

  /**
   * @param byteSize of the whole input; a field that claims more than the rest of it is rejected
   */
  public ProtoInput(Chunks chunks, long byteSize) {
    this.chunks = chunks;
    this.bytesAfterChunk = byteSize;
  }

  /** The next field's tag; 0 at the end of the input. */
  int readTag() {
    if (!hasMore()) {
      return 0;
    }
    int tag = (int) readVarint();
    if (tag >>> 3 == 0) {
      throw malformed("a field has the number 0");
    }
    return tag;
  }

  long readVarint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = readByte();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw malformed("a varint has more than ten bytes");
  }

  /** The length of a length-delimited field. */
  long readLength() {
    long length = readVarint();
    if (length < 0 || length > bytesAfterChunk + chunk.remaining()) {
      throw malformed("a field claims " + Long.toUnsignedString(length) + " bytes");
    }
    return length;
  }

  byte[] readBytes() {
    long length = readLength();
    byte[] bytes = new byte[(int) length];
    readFully(bytes, 0, bytes.length);
    return bytes;
  }

  String readString() {
    byte[] bytes = readBytes();
    String text = new String(bytes, StandardCharsets.UTF_8);
    // Bytes that are not UTF-8 decode to U+FFFD, which the text may also contain itself.
    if (text.indexOf('\uFFFD') >= 0
        && !Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
      throw malformed("a string is not UTF-8");
    }
    return text;
  }

  /** Fills {@code target} from its start to its end. */
  void readFully(MemorySegment target) {
    long offset = 0;
    long end = target.byteSize();
    while (offset < end) {
      require();
      int count = (int) Math.min(end - offset, chunk.remaining());
      MemorySegment.copy(MemorySegment.ofBuffer(chunk), 0, target, offset, count);
      chunk.position(chunk.position() + count);
      offset += count;
    }
  }

  /** Skips the field that {@code tag} begins. */
  void skipField(int tag) {
    switch (tag & 7) {
      case VARINT -> readVarint();
      case FIXED64 -> skip(8);
      case LENGTH_DELIMITED -> skip(readLength());
      case FIXED32 -> skip(4);
      default -> throw malformed("field " + (tag >>> 3) + " has wire type " + (tag & 7));
    }
  }

  private void skip(long count) {
    for (long left = count; left > 0; ) {
      require();
      int step = (int) Math.min(left, chunk.remaining());
      chunk.position(chunk.position() + step);
      left -= step;
    }
  }

  private void readFully(byte[] target, int from, int to) {
    int offset = from;
    while (offset < to) {
      require();
      int count = Math.min(to - offset, chunk.remaining());
      chunk.get(target, offset, count);
      offset += count;
    }
  }

  private byte readByte() {
    require();
    return chunk.get();
  }

  private boolean hasMore() {
    while (!chunk.hasRemaining()) {
      ByteBuffer next = chunks.next();
      if (next == null) {
        return false;
      }
      chunk = next;
      bytesAfterChunk -= next.remaining();
    }
    return true;
  }

  private void require() {
    if (!chunk.hasRemaining() && !hasMore()) {
      throw malformed("it ends within a field");
    }
  }

  private static InferenceException malformed(String reason) {
    return InferenceException.invalid("request is not a valid protobuf message: " + reason);
  }
}
