package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import java.math.BigInteger;

/** Exact arithmetic on times, with unsigned microseconds. */
final class ReferenceTimes {
  /** Below this, a long cannot overflow. */
  private static final long SMALL = 1_000_000_000_000L;

  private ReferenceTimes() {}

  static long plusMicros(long nanos, long micros) {
    if (0 <= micros && micros <= SMALL && nanos <= SMALL * 1_000) {
      return nanos + micros * 1_000;
    }
    return unsigned(micros)
        .multiply(BigInteger.valueOf(1_000))
        .add(BigInteger.valueOf(nanos))
        .min(BigInteger.valueOf(Ticket.NEVER))
        .longValueExact();
  }

  static long shorter(long micros, long others) {
    return unsigned(micros).min(unsigned(others)).longValue();
  }

  private static BigInteger unsigned(long value) {
    return new BigInteger(Long.toUnsignedString(value));
  }
}
