package io.nereid.server.grpc.message;

import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * A message as grpc-java's Netty transport delivers it: a stream of buffers, each of which is
 * invalid once it is skipped. Skipped buffers are overwritten, so that a late read fails a test.
 */
final class LentBuffers extends InputStream implements HasByteBuffer, KnownLength {
  private final Deque<byte[]> buffers = new ArrayDeque<>();
  private int position;
  private int left;

  /** The bytes in buffers of {@code size}. */
  LentBuffers(byte[] bytes, int size) {
    left = bytes.length;
    for (int start = 0; start < bytes.length; start += size) {
      buffers.add(Arrays.copyOfRange(bytes, start, Math.min(bytes.length, start + size)));
    }
  }

  @Override
  public boolean byteBufferSupported() {
    return true;
  }

  @Override
  public ByteBuffer getByteBuffer() {
    return ByteBuffer.wrap(buffers.getFirst(), position, buffers.getFirst().length - position)
        .slice()
        .asReadOnlyBuffer();
  }

  @Override
  public int available() {
    return left;
  }

  @Override
  public long skip(long count) {
    int skipped = (int) Math.min(count, left);
    for (int todo = skipped; todo > 0; ) {
      byte[] first = buffers.getFirst();
      int step = Math.min(todo, first.length - position);
      position += step;
      todo -= step;
      if (position == first.length) {
        Arrays.fill(first, (byte) 0xEE);
        buffers.removeFirst();
        position = 0;
      }
    }
    left -= skipped;
    return skipped;
  }

  @Override
  public int read() {
    throw new AssertionError("copied instead of read from the buffers");
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    throw new AssertionError("copied instead of read from the buffers");
  }
}
