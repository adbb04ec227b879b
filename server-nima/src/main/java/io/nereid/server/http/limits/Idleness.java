package io.nereid.server.http.limits;

import java.time.Duration;
import java.util.Comparator;

/**
 * That a connection waits for a request, as a check has found it.
 *
 * @param isSilent whether it has never sent one
 * @param nanos for how long it has waited
 * @param state of its activity, which differs once it is used
 */
public record Idleness(boolean isSilent, long nanos, long state) {
  /**
   * The connections that are closed first for new ones come first: those that have never sent a
   * request, then those that have waited for the longest time.
   */
  public static final Comparator<Idleness> BY_ORDER_OF_CLOSE =
      Comparator.comparing(Idleness::isSilent).thenComparingLong(Idleness::nanos).reversed();

  /** A connection that has waited for less time may be about to be used. */
  private static final Duration LEAST = Duration.ofSeconds(1);

  /** Whether the connection may be closed for a new one. */
  public boolean mayMakeRoom() {
    return nanos >= LEAST.toNanos();
  }
}
