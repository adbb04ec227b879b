package io.nereid.server.codec.protobuf;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in pieces, as a transport hands them over: a piece is its reader's until the next one is
 * asked for, and then overwritten with rubbish.
 */
final class ProtoChunks implements ProtoInput.Chunks {
  private final byte[] bytes;
  private final int[] ends;
  private int next;
  private byte @Nullable [] lent;

  /**
   * @param ends where pieces but the last one end: ascending, distinct, inside the bytes
   */
  ProtoChunks(byte[] bytes, int... ends) {
    this.bytes = bytes;
    this.ends = ends;
  }

  static ProtoInput input(byte[] bytes, int... ends) {
    return new ProtoInput(new ProtoChunks(bytes, ends), bytes.length);
  }

  @Override
  public @Nullable ByteBuffer next() {
    if (lent != null) {
      java.util.Arrays.fill(lent, (byte) 0xEE);
      lent = null;
    }
    int start = next == 0 ? 0 : next <= ends.length ? ends[next - 1] : bytes.length;
    int end = next < ends.length ? ends[next] : bytes.length;
    if (start >= bytes.length) {
      return null;
    }
    next++;
    lent = java.util.Arrays.copyOfRange(bytes, start, end);
    return ByteBuffer.wrap(lent);
  }
}
