package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientKey;
import io.nereid.server.http.limits.HttpRefusal;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What an accepted connection has of its listener: a place among the open connections, or among the
 * few that are told why they are refused. {@link #close} ends it; further calls have no effect.
 * Thread-safe.
 */
final class ConnectionAdmission implements AutoCloseable {
  private final ClientKey client;
  private final Optional<HttpRefusal> refusal;
  private final Runnable end;
  private final AtomicBoolean hasEnded = new AtomicBoolean();

  /**
   * @param refusal empty if the connection is served
   * @param end is run once
   */
  ConnectionAdmission(ClientKey client, Optional<HttpRefusal> refusal, Runnable end) {
    this.client = client;
    this.refusal = refusal;
    this.end = end;
  }

  ClientKey client() {
    return client;
  }

  /** Which limit the connection would exceed; empty if it is served. */
  Optional<HttpRefusal> refusal() {
    return refusal;
  }

  @Override
  public void close() {
    if (hasEnded.compareAndSet(false, true)) {
      end.run();
    }
  }
}
