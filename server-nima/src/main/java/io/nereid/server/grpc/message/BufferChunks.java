package io.nereid.server.grpc.message;

import io.grpc.HasByteBuffer;
import io.nereid.server.codec.protobuf.ProtoInput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a stream. Skipping a buffer frees it, so a buffer is skipped after it was read.
 */
final class BufferChunks implements ProtoInput.Chunks {
  private final InputStream stream;
  private final HasByteBuffer buffers;
  private int read;

  /**
   * @param stream that has buffers
   */
  BufferChunks(InputStream stream) {
    this.stream = stream;
    this.buffers = (HasByteBuffer) stream;
  }

  /** Whether a stream has buffers. */
  static boolean areIn(InputStream stream) {
    return stream instanceof HasByteBuffer buffers && buffers.byteBufferSupported();
  }

  @Override
  public @Nullable ByteBuffer next() {
    try {
      for (long left = read; left > 0; ) {
        left -= stream.skip(left);
      }
      ByteBuffer buffer = stream.available() == 0 ? null : buffers.getByteBuffer();
      read = buffer == null ? 0 : buffer.remaining();
      return buffer;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
