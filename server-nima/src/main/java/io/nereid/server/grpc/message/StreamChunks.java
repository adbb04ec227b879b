package io.nereid.server.grpc.message;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.ProtoInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The bytes of a stream, decompressed, a buffer at a time. Owns the stream. */
final class StreamChunks implements ProtoInput.Chunks, AutoCloseable {
  private static final int BUFFER_SIZE = 64 << 10;

  private final InputStream stream;
  private final @Nullable MessageEncoding encoding;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_SIZE);
  private @Nullable InputStream content;

  /**
   * @param encoding null if the stream is not compressed
   */
  StreamChunks(InputStream stream, @Nullable MessageEncoding encoding) {
    this.stream = stream;
    this.encoding = encoding;
  }

  @Override
  public @Nullable ByteBuffer next() {
    try {
      if (content == null) {
        content = encoding == null ? stream : encoding.open(stream);
      }
      int count = content.readNBytes(buffer.array(), 0, BUFFER_SIZE);
      return count == 0 ? null : buffer.clear().limit(count);
    } catch (IOException broken) {
      throw InferenceException.invalid(
          "the message is not valid %s: %s"
              .formatted(
                  encoding == null ? "" : encoding.getMessageEncoding(), broken.getMessage()));
    }
  }

  @Override
  public void close() throws IOException {
    if (content == null) {
      stream.close();
    } else {
      content.close();
    }
  }
}
