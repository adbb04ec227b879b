package io.nereid.server.http.limits;

import io.nereid.server.http.limits.Activity.Kind;
import java.time.Duration;

/**
 * That a connection waits for a request, or for the rest of a head, as a check has found it.
 *
 * @param kind what it waits for: the first request, another one, or the rest of a head
 * @param nanos for how long it has waited
 * @param state of its activity, which differs once it is used
 */
public record Idleness(Kind kind, long nanos, long state) {
  /** A connection that has waited for less time may be about to be used. */
  private static final Duration LEAST = Duration.ofSeconds(1);

  /** Whether its client has begun a connection or a head, and has not sent a whole one since. */
  public boolean isUnfinished() {
    return kind != Kind.IDLE;
  }

  /** Whether the connection may be closed for a new one. */
  public boolean mayMakeRoom() {
    return nanos >= LEAST.toNanos();
  }
}
