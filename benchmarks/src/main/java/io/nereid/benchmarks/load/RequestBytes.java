package io.nereid.benchmarks.load;

import io.grpc.Drainable;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Sends an encoded message as it is. Any thread. */
final class RequestBytes implements MethodDescriptor.Marshaller<byte[]> {
  @Override
  public InputStream stream(byte[] message) {
    return new Message(message);
  }

  @Override
  public byte[] parse(InputStream stream) {
    throw new UnsupportedOperationException("requests are only sent");
  }

  /**
   * gRPC takes the length of a {@code ByteArrayInputStream} from it, and a {@code Drainable} spares
   * it a buffer.
   */
  private static final class Message extends ByteArrayInputStream implements Drainable {
    Message(byte[] message) {
      super(message);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int length = available();
      target.write(buf, pos, length);
      pos += length;
      return length;
    }
  }
}
