package io.nereid.server.grpc;

import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * A message as grpc-java's Netty transport hands it over: a stream of buffers, each gone once it is
 * passed over. What is gone is overwritten, so that whoever reads it too late is found out.
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
    throw new AssertionError("copied, though there are buffers");
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    throw new AssertionError("copied, though there are buffers");
  }
}
