package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/** Arithmetic on times that saturates instead of overflowing. */
public final class Times {
  private static final long NANOS_PER_MICRO = 1_000;

  private Times() {}

  /**
   * Returns the time {@code micros} microseconds, unsigned, after {@code nanos}; {@link
   * Ticket#NEVER} if a long cannot hold it.
   */
  public static long after(long nanos, long micros) {
    boolean beyond = Long.compareUnsigned(micros, (Ticket.NEVER - nanos) / NANOS_PER_MICRO) >= 0;
    return beyond ? Ticket.NEVER : nanos + micros * NANOS_PER_MICRO;
  }

  /** Returns the time {@code duration} after {@code nanos}; both are not negative. */
  public static long plus(long nanos, long duration) {
    return duration >= Ticket.NEVER - nanos ? Ticket.NEVER : nanos + duration;
  }
}
