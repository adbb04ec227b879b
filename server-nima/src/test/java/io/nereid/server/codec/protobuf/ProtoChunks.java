package io.nereid.server.codec.protobuf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A chain of buffers as a transport delivers it: the next buffer invalidates the one before, which
 * is overwritten.
 */
final class ProtoChunks implements ProtoInput.Chunks {
  private final byte[] bytes;
  private final int[] ends;
  private int next;
  private byte @Nullable [] current;

  /**
   * @param ends of all buffers but the last: ascending, distinct, inside the bytes
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
    if (current != null) {
      Arrays.fill(current, (byte) 0xEE);
      current = null;
    }
    int start = next == 0 ? 0 : next <= ends.length ? ends[next - 1] : bytes.length;
    int end = next < ends.length ? ends[next] : bytes.length;
    if (start >= bytes.length) {
      return null;
    }
    next++;
    current = Arrays.copyOfRange(bytes, start, end);
    return ByteBuffer.wrap(current);
  }
}
