package io.nereid.server.grpc;

import io.grpc.HasByteBuffer;
import io.grpc.MethodDescriptor;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.ProtoInput;
import io.nereid.server.codec.protobuf.ProtoRequest;
import io.nereid.server.codec.protobuf.ProtoRequestParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A marshaller that parses requests from the transport's buffers, on its event loop. Malformed
 * bytes become a {@link ProtoRequest#malformed} request.
 */
final class InferRequestMarshaller implements MethodDescriptor.Marshaller<ProtoRequest> {
  private final ProtoRequestParser parser;

  InferRequestMarshaller(ProtoRequestParser parser) {
    this.parser = parser;
  }

  @Override
  public ProtoRequest parse(InputStream stream) {
    try {
      return parser.parse(input(stream));
    } catch (InferenceException malformed) {
      return ProtoRequest.malformed(malformed);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static ProtoInput input(InputStream stream) throws IOException {
    if (stream instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
      return new ProtoInput(new Buffers(stream, buffers), stream.available());
    }
    // A compressed message has neither known length nor buffers.
    byte[] bytes = stream.readAllBytes();
    return new ProtoInput(new Once(ByteBuffer.wrap(bytes)), bytes.length);
  }

  /** Never used: a server only reads requests. */
  @Override
  public InputStream stream(ProtoRequest value) {
    throw new UnsupportedOperationException("a server writes no requests");
  }

  /**
   * The buffers of a stream. Skipping a buffer frees it, so a buffer is skipped after it was read.
   */
  private static final class Buffers implements ProtoInput.Chunks {
    private final InputStream stream;
    private final HasByteBuffer buffers;
    private int read;

    Buffers(InputStream stream, HasByteBuffer buffers) {
      this.stream = stream;
      this.buffers = buffers;
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

  /** A chain of one buffer. */
  private static final class Once implements ProtoInput.Chunks {
    private @Nullable ByteBuffer buffer;

    Once(ByteBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public @Nullable ByteBuffer next() {
      ByteBuffer next = buffer;
      buffer = null;
      return next;
    }
  }
}
