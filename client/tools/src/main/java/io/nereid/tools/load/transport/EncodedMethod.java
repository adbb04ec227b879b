package io.nereid.tools.load.transport;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Methods of the inference service without protobuf classes: requests are encoded messages,
 * whatever their bytes are, and of a response only the length is read.
 */
public final class EncodedMethod {
  private EncodedMethod() {}

  /** The method {@code name}, such as {@code ModelInfer}. */
  public static MethodDescriptor<byte[], Integer> of(
      String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<byte[], Integer>newBuilder()
        .setType(type)
        .setFullMethodName("inference.GRPCInferenceService/" + name)
        .setRequestMarshaller(new RequestMarshaller())
        .setResponseMarshaller(new LengthMarshaller())
        .build();
  }

  private static final class RequestMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new Message(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new UnsupportedOperationException("requests are only sent");
    }
  }

  /** A message of known length that gRPC writes without a buffer of its own. */
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

  private static final class LengthMarshaller implements MethodDescriptor.Marshaller<Integer> {
    @Override
    public Integer parse(InputStream message) {
      try {
        return message instanceof KnownLength
            ? message.available()
            : (int) message.skip(Integer.MAX_VALUE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public InputStream stream(Integer length) {
      throw new UnsupportedOperationException("responses are only received");
    }
  }
}
