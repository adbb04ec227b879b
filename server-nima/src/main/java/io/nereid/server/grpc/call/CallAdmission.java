package io.nereid.server.grpc.call;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.nereid.error.InferenceException;
import io.nereid.server.grpc.connection.CallConnection;
import io.nereid.server.grpc.limits.MessageHead;

/**
 * Decides which calls are served: not those above the limits of the server and of the client. While
 * the server stops, first those on connections that were there before, then none. gRPC cannot close
 * its listener without those connections, so calls on later ones are rejected. Thread-safe.
 */
public final class CallAdmission extends ServerTransportFilter implements ServerInterceptor {
  private static final Attributes.Key<Boolean> LATE = Attributes.Key.create("late");
  private volatile boolean rejectsConnections;
  private volatile boolean stopped;

  /** Rejects calls on connections that are made from now on. */
  public void rejectConnections() {
    rejectsConnections = true;
  }

  /** Rejects all requests from now on. */
  public void stop() {
    stopped = true;
  }

  public boolean isStopped() {
    return stopped;
  }

  public boolean rejects(ServerCall<?, ?> call) {
    return stopped || (rejectsConnections && call.getAttributes().get(LATE) != null);
  }

  /** Whether the server has too many calls; if so, this one was closed. */
  public boolean refuses(ServerCall<?, ?> call) {
    String reason = CallConnection.refusal(call);
    if (reason == null) {
      return false;
    }
    InferenceException failure = InferenceException.exhausted(reason);
    call.close(GrpcErrors.status(failure), GrpcErrors.trailers(failure));
    return true;
  }

  /** The same for a call that is told of the head of its message, if the message comes in parts. */
  public boolean refuses(ServerCall<?, ?> call, MessageHead.Receiver receiver) {
    CallConnection.tellHead(call, receiver);
    return refuses(call);
  }

  /** Refuses a call of a method that has no such check of its own. */
  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return refuses(call) ? new ServerCall.Listener<>() {} : next.startCall(call, headers);
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    return rejectsConnections ? attributes.toBuilder().set(LATE, true).build() : attributes;
  }
}
