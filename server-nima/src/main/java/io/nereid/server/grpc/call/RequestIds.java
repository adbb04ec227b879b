package io.nereid.server.grpc.call;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.nereid.server.telemetry.access.AccessEntry;

/** Sends the id that a call has in the access log: as metadata, or with a status that is alone. */
public final class RequestIds implements ServerInterceptor {
  private static final Metadata.Key<String> ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    AccessEntry entry = LoggedCalls.entry();
    return next.startCall(entry == null ? call : new NamedCall<>(call, entry.giveId()), headers);
  }

  private static final class NamedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final String id;
    private boolean isSent;

    NamedCall(ServerCall<Q, A> call, String id) {
      super(call);
      this.id = id;
    }

    @Override
    public void sendHeaders(Metadata headers) {
      isSent = true;
      headers.put(ID, id);
      super.sendHeaders(headers);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!isSent) {
        trailers.put(ID, id);
      }
      super.close(status, trailers);
    }
  }
}
