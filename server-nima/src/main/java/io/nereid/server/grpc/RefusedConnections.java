package io.nereid.server.grpc;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;

/**
 * The connections that are made once the server has begun to stop: no inference is served on them.
 * The listener cannot be closed alone, without those that were there before. From any thread.
 */
final class RefusedConnections extends ServerTransportFilter {
  private static final Attributes.Key<Boolean> LATE = Attributes.Key.create("late");

  private volatile boolean begun;

  /** Connections that are made from now on are late. */
  void begin() {
    begun = true;
  }

  @Override
  public Attributes transportReady(Attributes attributes) {
    return begun ? attributes.toBuilder().set(LATE, true).build() : attributes;
  }

  /** Whether a call came on one of them. */
  boolean include(ServerCall<?, ?> call) {
    return begun && call.getAttributes().get(LATE) != null;
  }
}
