package io.nereid.server.codec.protobuf;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.memory.GrowingLease;
import io.nereid.server.memory.Lease;
import io.nereid.server.memory.LeaseSource;
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

  /** The most that is allocated for a field before its bytes have come. */
  private static final int ALLOCATED_AHEAD = 64 << 10;

  /** The most of a field on the heap; as objects it may take thirty times as much. */
  private static final long MAX_HEAP_SIZE = 64 << 20;

  private final Chunks chunks;

  /** The most bytes of an input whose length is not known; 0 if it is. */
  private final long maxByteSize;

  private ByteBuffer chunk = EMPTY;

  /** The bytes of the input after {@link #chunk}. */
  private long bytesAfterChunk;

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

  /** This input with something between it and its chunks; before it is read. */
  public ProtoInput between(UnaryOperator<Chunks> wrapper) {
    return new ProtoInput(wrapper.apply(chunks), maxByteSize, bytesAfterChunk);
  }

  private boolean isLengthKnown() {
    return maxByteSize == 0;
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
      if (length > 0 && !isLengthKnown()) {
        throw tooLong();
      }
      throw malformed("a field claims " + Long.toUnsignedString(length) + " bytes");
    }
    return length;
  }

  byte[] readBytes() {
    int length = (int) Math.min(readLength(), MAX_HEAP_SIZE + 1);
    if (length > MAX_HEAP_SIZE) {
      throw malformed(
          "a field other than raw_input_contents has more than %d bytes".formatted(MAX_HEAP_SIZE));
    }
    byte[] bytes = new byte[isLengthKnown() ? length : Math.min(length, ALLOCATED_AHEAD)];
    readFully(bytes, 0, bytes.length);
    while (bytes.length < length) {
      int from = bytes.length;
      bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * from));
      readFully(bytes, from, bytes.length);
    }
    return bytes;
  }

  /** Reads a length-delimited field into a lease, which the caller owns. */
  Lease readLease(LeaseSource source) {
    long length = readLength();
    return isLengthKnown() || length <= ALLOCATED_AHEAD
        ? readWhole(source.lease(length))
        : readGrowing(source, length);
  }

  private Lease readWhole(Lease lease) {
    try {
      readFully(lease.segment());
      return lease;
    } catch (RuntimeException malformed) {
      lease.close();
      throw malformed;
    }
  }

  private Lease readGrowing(LeaseSource source, long length) {
    try (var body = GrowingLease.ofLength(source, 0, length)) {
      while (body.filled() < length) {
        require();
        ByteBuffer room = body.room();
        int count = Math.min(room.remaining(), chunk.remaining());
        int last = (int) Math.min(count, length - body.filled());
        room.put(chunk.slice(chunk.position(), last));
        chunk.position(chunk.position() + last);
      }
      return body.finish();
    }
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
