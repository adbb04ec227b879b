package io.nereid.server.codec.protobuf;

import io.nereid.engine.memory.GrowingLease;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.RequestLimits;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;
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

  /** The most that is leased for a field before its bytes have come. */
  private static final int LEASED_AHEAD = 64 << 10;

  /** Where an input ends that is no message within another. */
  private static final long NOT_NESTED = -1;

  /** How much of a text that is too long an error shows. */
  private static final int SHOWN = 64;

  private final Chunks chunks;

  /** The most bytes of an input whose length is not known; 0 if it is. */
  private final long maxByteSize;

  private ByteBuffer chunk = EMPTY;

  /** The bytes of the input after {@link #chunk}. */
  private long bytesAfterChunk;

  /** What is left of the input once the message ends that is read now. */
  private long end = NOT_NESTED;

  /**
   * @param byteSize of the whole input; a field that claims more than the rest of it is rejected
   */
  public ProtoInput(Chunks chunks, long byteSize) {
    this(chunks, 0, byteSize);
  }

  private ProtoInput(Chunks chunks, long maxByteSize, long byteSize) {
    this.chunks = chunks;
    this.maxByteSize = maxByteSize;
    this.bytesAfterChunk = byteSize;
  }

  /**
   * An input whose length is not known, as it is decompressed while it is read. Memory is taken for
   * bytes that have come, not for those that a field claims.
   *
   * @param maxByteSize a longer input is rejected as RESOURCE_EXHAUSTED, above 0
   */
  public static ProtoInput upTo(Chunks chunks, long maxByteSize) {
    return new ProtoInput(chunks, maxByteSize, maxByteSize);
  }

  /** An input that has come. */
  static ProtoInput of(ByteBuffer bytes) {
    var input = new ProtoInput(() -> null, 0);
    input.chunk = bytes;
    return input;
  }

  /** This input with something between it and its chunks; before it is read. */
  public ProtoInput between(UnaryOperator<Chunks> wrapper) {
    return new ProtoInput(wrapper.apply(chunks), maxByteSize, bytesAfterChunk);
  }

  private boolean isLengthKnown() {
    return maxByteSize == 0;
  }

  /** The bytes that are left of the input, or may be if its length is not known. */
  long left() {
    return bytesAfterChunk + chunk.remaining();
  }

  /**
   * Begins with a message within this one, which is not read by a call of itself.
   *
   * @return to be passed to {@link #endMessage}
   */
  long beginMessage() {
    long length = readLength();
    long outer = end;
    end = left() - length;
    return outer;
  }

  /** Whether the message that has begun last has more bytes. */
  boolean hasMoreOfMessage() {
    long left = left();
    if (left < end) {
      throw malformed("a field is longer than its message");
    }
    return left > end;
  }

  void endMessage(long outer) {
    if (hasMoreOfMessage()) {
      throw new IllegalStateException("a message was not read to its end");
    }
    end = outer;
  }

  /** The next field's tag; 0 at the end of the message. */
  int readTag() {
    if (end == NOT_NESTED ? !hasMore() : !hasMoreOfMessage()) {
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
    if (length < 0 || length > left() - Math.max(0, end)) {
      if (length > 0 && end == NOT_NESTED && !isLengthKnown()) {
        throw tooLong();
      }
      throw malformed("a field claims " + Long.toUnsignedString(length) + " bytes");
    }
    return length;
  }

  /** Reads a length-delimited field into a lease, which the caller owns. */
  Lease readLease(LeaseSource source) {
    long length = readLength();
    return isLengthKnown() || length <= LEASED_AHEAD
        ? readWhole(source.lease(length))
        : readGrowing(source, length);
  }

  private Lease readWhole(Lease lease) {
    try {
      readFully(lease.segment());
      return lease;
    } catch (RuntimeException | Error malformed) {
      lease.close();
      throw malformed;
    }
  }

  private Lease readGrowing(LeaseSource source, long length) {
    try (var body = GrowingLease.ofLength(source, 0, length)) {
      readInto(body, length);
      return body.finish();
    }
  }

  /** Appends bytes to a body. */
  void readInto(GrowingLease body, long length) {
    for (long left = length; left > 0; ) {
      require();
      ByteBuffer room = body.room();
      int count = (int) Math.min(left, Math.min(room.remaining(), chunk.remaining()));
      room.put(chunk.slice(chunk.position(), count));
      chunk.position(chunk.position() + count);
      left -= count;
    }
  }

  /**
   * Reads a text.
   *
   * @param what it is, for messages
   * @param max its most bytes
   */
  String readString(String what, int max) {
    long length = readLength();
    if (length > max) {
      byte[] beginning = readBytes(Math.min(SHOWN, max));
      throw RequestLimits.tooLong(what, length, max, new String(beginning, StandardCharsets.UTF_8));
    }
    byte[] bytes = readBytes((int) length);
    String text = new String(bytes, StandardCharsets.UTF_8);
    // Bytes that are not UTF-8 decode to U+FFFD, which the text may also contain itself.
    if (text.indexOf('\uFFFD') >= 0
        && !Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
      throw malformed("a string is not UTF-8");
    }
    return text;
  }

  private byte[] readBytes(int length) {
    byte[] bytes = new byte[length];
    for (int offset = 0; offset < length; ) {
      require();
      int count = Math.min(length - offset, chunk.remaining());
      chunk.get(bytes, offset, count);
      offset += count;
    }
    return bytes;
  }

  long readFixed64() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 8) {
      value |= (readByte() & 0xFFL) << shift;
    }
    return value;
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

  void skip(long count) {
    for (long left = count; left > 0; ) {
      require();
      int step = (int) Math.min(left, chunk.remaining());
      chunk.position(chunk.position() + step);
      left -= step;
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
      if (bytesAfterChunk < 0) {
        throw tooLong();
      }
    }
    return true;
  }

  private void require() {
    if (!chunk.hasRemaining() && !hasMore()) {
      throw malformed("it ends within a field");
    }
  }

  private InferenceException tooLong() {
    return new InferenceException(
        StatusCode.RESOURCE_EXHAUSTED,
        "the message decompresses to more than %d bytes, the limit of the server"
            .formatted(maxByteSize));
  }

  private static InferenceException malformed(String reason) {
    return InferenceException.invalid("request is not a valid protobuf message: " + reason);
  }
}
