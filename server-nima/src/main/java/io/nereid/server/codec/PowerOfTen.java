package io.nereid.server.codec;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The leading 128 bits, truncated, of a power of ten in the range of doubles. With these bits
 * {@code t} of {@code n}, {@code 10^n} is in {@code [t, t + 1) * 2^(binaryExponent(n) - 127)}.
 *
 * @param high the upper 64 bits, unsigned; the highest is set
 * @param low the lower 64 bits
 */
public record PowerOfTen(long high, long low) {
  public static final int MIN = -342;
  static final int MAX = 324;

  /** From 0 to this power the 128 bits are exact. */
  static final int MAX_EXACT = 55;

  /**
   * The powers that were asked for: all would take 10 ms of the first request. Threads may race,
   * and calculate one twice; a record's fields are final, so none is seen half.
   */
  private static final @Nullable PowerOfTen[] KNOWN = new PowerOfTen[MAX - MIN + 1];

  /** Returns the bits of {@code 10^n}, from {@link #MIN} to {@link #MAX}. */
  public static PowerOfTen of(int n) {
    PowerOfTen known = KNOWN[n - MIN];
    return known == null ? calculate(n) : known;
  }

  private static PowerOfTen calculate(int n) {
    BigInteger power = BigInteger.TEN.pow(Math.abs(n));
    BigInteger bits =
        n >= 0
            ? power.shiftLeft(128).shiftRight(power.bitLength())
            : BigInteger.ONE.shiftLeft(127 + power.bitLength()).divide(power);
    var calculated = new PowerOfTen(bits.shiftRight(64).longValue(), bits.longValue());
    KNOWN[n - MIN] = calculated;
    return calculated;
  }

  /** The exponent of the greatest power of two that is at most {@code 10^n}. */
  public static int binaryExponent(int n) {
    return (int) ((n * 1_741_647L) >> 19);
  }
}
