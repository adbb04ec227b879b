package io.nereid.benchmarks.load;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** An answer's length, for which nothing is read where gRPC knows it. Any thread. */
final class AnswerLength implements MethodDescriptor.Marshaller<Integer> {
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
    throw new UnsupportedOperationException("answers are only received");
  }
}
