package io.nereid.client;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A request as it is sent, for {@link OutgoingCall#sign}.
 *
 * @param method of HTTP: {@code GET} or {@code POST}; over gRPC always {@code POST}
 * @param path of HTTP, percent-encoded: {@code /v2/models/m/infer}, with the path of the server's
 *     address in front; over gRPC {@code /inference.GRPCInferenceService/ModelInfer}
 * @param body over REST the bytes of the body, compressed if the client compresses; over gRPC those
 *     of the message, without its frame and not compressed. Borrowed: it changes when tensors do
 */
public record WireRequest(String method, String path, List<ByteBuffer> body) {
  public WireRequest {
    body = List.copyOf(body);
  }

  /** New read-only views of its parts, one after the other. */
  @Override
  public List<ByteBuffer> body() {
    return body.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
  }
}
