package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;

/** Moments and spans that stay within a long. */
public final class Times {
  private static final long NANOS_PER_MICRO = 1_000;

  private Times() {}

  /**
   * The moment {@code micros}, unsigned, after {@code nanos}; {@link Ticket#NEVER} if that is
   * beyond all times.
   */
  public static long after(long nanos, long micros) {
    boolean beyond = Long.compareUnsigned(micros, (Ticket.NEVER - nanos) / NANOS_PER_MICRO) >= 0;
    return beyond ? Ticket.NEVER : nanos + micros * NANOS_PER_MICRO;
  }
}
