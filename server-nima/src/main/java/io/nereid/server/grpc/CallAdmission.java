package io.nereid.server.grpc;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;

/**
 * Decides which inference calls are served while the server stops: first those on connections that
 * were there before, then none. gRPC cannot close its listener without those connections, so calls
 * on later ones are rejected. Thread-safe.
 */
final class CallAdmission extends ServerTransportFilter {
  private static final Attributes.Key<Boolean> LATE = Attributes.Key.create("late");

  private volatile boolean rejectsConnections;
  private volatile boolean stopped;

  /** Rejects calls on connections that are made from now on. */
  void rejectConnections() {
    rejectsConnections = true;
  }

  /** Rejects all requests from now on. */
  void stop() {
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  boolean rejects(ServerCall<?, ?> call) {
    return stopped || (rejectsConnections && call.getAttributes().get(LATE) != null);
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    return rejectsConnections ? attributes.toBuilder().set(LATE, true).build() : attributes;
  }
}
