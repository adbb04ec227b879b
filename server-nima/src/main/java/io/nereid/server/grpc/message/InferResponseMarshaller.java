package io.nereid.server.grpc.message;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.nereid.server.codec.protobuf.OutgoingMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A marshaller that writes responses from their segments into the transport's buffers, inside the
 * call that sends them.
 */
public final class InferResponseMarshaller implements MethodDescriptor.Marshaller<OutgoingMessage> {
  @Override
  public InputStream stream(OutgoingMessage response) {
    return new ResponseStream(response);
  }

  /** Never used: a server only writes responses. */
  @Override
  public OutgoingMessage parse(InputStream stream) {
    throw new UnsupportedOperationException("a server reads no responses");
  }

  /**
   * A message as grpc-java takes it: with a known length, and written by {@link #drainTo}.
   * grpc-java reads the stream itself only to compress it.
   */
  private static final class ResponseStream extends InputStream implements Drainable, KnownLength {
    private final OutgoingMessage response;
    private byte @Nullable [] bytes;
    private int position;

    ResponseStream(OutgoingMessage response) {
      this.response = response;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      response.writeTo(target);
      position = response.byteSize();
      return response.byteSize();
    }

    @Override
    public int available() {
      return response.byteSize() - position;
    }

    @Override
    public int read() throws IOException {
      return available() == 0 ? -1 : bytes()[position++] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (available() == 0) {
        return length == 0 ? 0 : -1;
      }
      int count = Math.min(length, available());
      System.arraycopy(bytes(), position, target, offset, count);
      position += count;
      return count;
    }

    private byte[] bytes() throws IOException {
      if (bytes == null) {
        var buffer = new ByteArrayOutputStream(response.byteSize());
        response.writeTo(buffer);
        bytes = buffer.toByteArray();
      }
      return bytes;
    }
  }
}
