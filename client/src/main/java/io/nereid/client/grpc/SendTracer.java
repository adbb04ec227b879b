package io.nereid.client.grpc;

import io.grpc.ClientStreamTracer;
import io.grpc.ClientStreamTracer.StreamInfo;
import io.grpc.Metadata;
import io.nereid.client.CallContext;

/**
 * Tells whether anything of one call was sent: of a call that found no connection, the server
 * cannot have executed anything. Written by the transport's threads.
 */
final class SendTracer extends ClientStreamTracer.Factory {
  private final CallContext context;
  private final ChannelTransport transport;
  private volatile boolean isSent;

  SendTracer(CallContext context, ChannelTransport transport) {
    this.context = context;
    this.transport = transport;
  }

  CallContext context() {
    return context;
  }

  /** What makes the call. */
  ChannelTransport transport() {
    return transport;
  }

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
