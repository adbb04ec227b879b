package io.nereid.server.codec.json.document;

import io.nereid.server.codec.PowersOfTen;

/**
 * Rounds {@code digits * 10^power} to a double by one or two 64-bit multiplications, after the
 * method of Eisel and Lemire (<i>Number Parsing at a Gigabyte per Second</i>, 2021), and says so
 * when the product's known bits do not settle the rounding.
 */
final class DecimalToDouble {
  private static final int FRACTION_BITS = 52;
  private static final int BIAS = 1023;
  private static final int INFINITE_EXPONENT = 2047;
  private static final int MAX_POWER = 308;

  private DecimalToDouble() {}

  /**
   * Rounds {@code digits * 10^power}.
   *
   * @param digits above 0
   * @return the nearest double, or NaN if this method cannot tell
   */
  static double tryRound(long digits, int power) {
    if (power < PowersOfTen.MIN || power > MAX_POWER) {
      return Double.NaN;
    }
    int shift = Long.numberOfLeadingZeros(digits);
    long factor = digits << shift;
    // The product's upper 128 bits, too small by less than 2 in the lowest.
    long high = PowersOfTen.high(power);
    long upper = Math.unsignedMultiplyHigh(factor, high);
    long lower = factor * high;
    long carried = Math.unsignedMultiplyHigh(factor, PowersOfTen.low(power));
    lower += carried;
    if (Long.compareUnsigned(lower, carried) < 0) {
      upper++;
    }

    int top = (int) (upper >>> 63);
    int spare = Long.SIZE - FRACTION_BITS - 2 + top - 1; // bits below the rounding bit
    long below = upper & (1L << spare) - 1;
    if (below == (1L << spare) - 1 && lower >= -2 && lower < 0) {
      return Double.NaN; // a carry from what is unknown may come
    }
    long fraction = upper >>> spare;
    boolean roundUp = (fraction & 1) != 0;
    if (roundUp && below == 0 && (lower == 0 || lower == 1)) {
      return Double.NaN; // perhaps in the middle between two doubles
    }
    fraction = (fraction >>> 1) + (roundUp ? 1 : 0);
    int exponent = PowersOfTen.binaryExponent(power) + 63 - shift + top + BIAS;
    if (exponent <= 0 || exponent >= INFINITE_EXPONENT - 1) {
      return Double.NaN; // subnormal, with fewer bits than rounded to above; or infinite, perhaps
    }
    // A fraction that rounding carried to 2^53 adds one to the exponent, as it should.
    return Double.longBitsToDouble(((long) (exponent - 1) << FRACTION_BITS) + fraction);
  }
}
