package io.nereid.grpc;

import io.nereid.exchange.InferenceResponse;
import io.nereid.protocol.ProtoStreamResponse;
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
