package io.nereid.server.grpc;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.protobuf.ProtoRequest;

/** What the marshaller made of a message. */
sealed interface ReceivedRequest extends AutoCloseable {
  /** A request, owned. */
  record Parsed(ProtoRequest request) implements ReceivedRequest {
    @Override
    public void close() {
      request.close();
    }
  }

  /** The bytes were no request. */
  record Malformed(InferenceException failure) implements ReceivedRequest {
    @Override
    public void close() {}
  }

  @Override
  void close();
}
