package io.nereid.client.grpc;

import io.grpc.ClientStreamTracer;
import io.grpc.ClientStreamTracer.StreamInfo;
import io.grpc.Metadata;

/**
 * Tells whether anything of one call was sent: of a call that found no connection, the server
 * cannot have executed anything. Written by the transport's threads.
 */
final class SendTracer extends ClientStreamTracer.Factory {
  private volatile boolean isSent;

  boolean isSent() {
    return isSent;
  }

  @Override
  public ClientStreamTracer newClientStreamTracer(StreamInfo info, Metadata headers) {
    return new ClientStreamTracer() {
      @Override
      public void outboundHeaders() {
        isSent = true;
      }
    };
  }
}
