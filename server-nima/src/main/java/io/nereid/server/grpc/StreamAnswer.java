package io.nereid.server.grpc;

import io.nereid.server.codec.protobuf.ProtoStreamResponse;
import io.nereid.server.request.InferenceResponse;
import org.jspecify.annotations.Nullable;

/**
 * A message to a stream's client, and the response whose outputs it shows. Owned.
 *
 * @param response null if the message is about a failure, or an end
 */
record StreamAnswer(ProtoStreamResponse message, @Nullable InferenceResponse response)
    implements AutoCloseable {
  @Override
  public void close() {
    if (response != null) {
      response.close();
    }
  }
}
