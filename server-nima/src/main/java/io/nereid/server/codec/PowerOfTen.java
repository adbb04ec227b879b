package io.nereid.server.codec;

import java.math.BigInteger;

/**
 * A table of the leading 128 bits, truncated, of the powers of ten in the range of doubles. For the
 * entry {@code t} of {@code n}, {@code 10^n} is in {@code [t, t + 1) * 2^(binaryExponent(n) -
 * 127)}.
 */
public final class PowersOfTen {
  public static final int MIN = -342;
  static final int MAX = 324;

  /** From 0 to this power the 128 bits are exact. */
  static final int MAX_EXACT = 55;

  private static final long[] HIGH = new long[MAX - MIN + 1];
  private static final long[] LOW = new long[MAX - MIN + 1];

  static {
    for (int n = MIN; n <= MAX; n++) {
      BigInteger power = BigInteger.TEN.pow(Math.abs(n));
      BigInteger bits =
          n >= 0
              ? power.shiftLeft(128).shiftRight(power.bitLength())
              : BigInteger.ONE.shiftLeft(127 + power.bitLength()).divide(power);
      HIGH[n - MIN] = bits.shiftRight(64).longValue();
      LOW[n - MIN] = bits.longValue();
    }
  }

  private PowersOfTen() {}

  /** The upper 64 of the 128 bits, unsigned; the highest is set. */
  public static long high(int n) {
    return HIGH[n - MIN];
  }

  public static long low(int n) {
    return LOW[n - MIN];
  }

  /** The exponent of the greatest power of two that is at most {@code 10^n}. */
  public static int binaryExponent(int n) {
    return (int) ((n * 1_741_647L) >> 19);
  }
}
