package io.nereid.server.codec;

import java.math.BigInteger;

/**
 * The leading 128 bits of the powers of ten that doubles need, the lower ones cut off: what reads
 * and writes decimal digits without big integers. {@code 10^n} lies in {@code [t, t + 1) *
 * 2^(binaryExponent(n) - 127)} for its entry {@code t}.
 */
public final class PowersOfTen {
  public static final int MIN = -342;
  static final int MAX = 324;

  /** Up to this power, from 0 on, the 128 bits are the power itself. */
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

  /** The upper 64 of the 128 bits, unsigned; the first of them is set. */
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
