package io.nereid.server.codec;

/**
 * A writer of floats and doubles. Writes the shortest decimal that reads back as the same value,
 * the nearest among several: {@code 1.0}, {@code 0.1}, {@code 1.5e-7}, {@code 1e30}. Notation is
 * plain from 1e-6 to below 1e21. Other values are {@code NaN}, {@code Infinity}, {@code -Infinity}.
 *
 * <p>The method is Raffaello Giulietti's Schubfach (<i>The Schubfach way to render doubles</i>,
 * 2021). A value {@code c * 2^q} and the ends of the interval that rounds to it are multiplied by
 * four, which removes fractions, and scaled by a power of ten that makes the interval wider than 1
 * and narrower than 10. The interval then contains a multiple of ten, which is the shorter choice,
 * or one of the two integers next to the value. The scaled numbers are truncated; their lowest bit
 * is set if the rest is not zero, which suffices to compare them.
 */
public final class FloatDigits {
  /** An upper bound: sign, 17 digits, point, leading zeros or exponent. */
  public static final int MAX_LENGTH = 32;

  private static final int DOUBLE_FRACTION_BITS = 52;
  private static final int FLOAT_FRACTION_BITS = 23;

  private FloatDigits() {}

  /** Writes a double. */
  public static int put(byte[] target, int at, double value) {
    long bits = Double.doubleToRawLongBits(value);
    int next = at;
    if (bits < 0 && !Double.isNaN(value)) {
      target[next++] = '-';
    }
    int exponent = (int) (bits >>> DOUBLE_FRACTION_BITS) & 0x7ff;
    long fraction = bits & (1L << DOUBLE_FRACTION_BITS) - 1;
    if (exponent == 0x7ff) {
      return ByteSink.putAscii(target, next, fraction != 0 ? "NaN" : "Infinity");
    }
    return putFinite(target, next, fraction, exponent, DOUBLE_FRACTION_BITS, 1075);
  }

  /** Writes a float, with fewer digits than the same value needs as a double. */
  public static int put(byte[] target, int at, float value) {
    int bits = Float.floatToRawIntBits(value);
    int next = at;
    if (bits < 0 && !Float.isNaN(value)) {
      target[next++] = '-';
    }
    int exponent = bits >>> FLOAT_FRACTION_BITS & 0xff;
    int fraction = bits & (1 << FLOAT_FRACTION_BITS) - 1;
    if (exponent == 0xff) {
      return ByteSink.putAscii(target, next, fraction != 0 ? "NaN" : "Infinity");
    }
    return putFinite(target, next, fraction, exponent, FLOAT_FRACTION_BITS, 150);
  }

  private static int putFinite(
      byte[] target, int at, long fraction, int exponent, int fractionBits, int bias) {
    if (exponent == 0 && fraction == 0) {
      return DecimalDigits.putDecimal(target, at, 0, 0);
    }
    long c = exponent == 0 ? fraction : fraction | 1L << fractionBits;
    int q = Math.max(1, exponent) - bias;
    if (q <= 0 && q > -Long.SIZE && Long.numberOfTrailingZeros(c) >= -q) {
      return DecimalDigits.putDecimal(
          target, at, c >>> -q, 0); // an integer: all of its digits are significant
    }
    boolean closerBelow = fraction == 0 && exponent > 1;
    // floor(log10(2^q)), or floor(log10(3/4 * 2^q)): the scale of the interval
    int k = (int) ((q * 1_262_611L - (closerBelow ? 524_031 : 0)) >> 22);
    int shift = q + PowersOfTen.binaryExponent(-k) + 1;
    long lower;
    long middle;
    long upper;
    if (fractionBits == FLOAT_FRACTION_BITS) {
      long power = PowersOfTen.high(-k) + (-k >= 0 && -k <= 27 ? 0 : 1);
      lower = scaleFloat(power, (4 * c - (closerBelow ? 1 : 2)) << shift);
      middle = scaleFloat(power, (4 * c) << shift);
      upper = scaleFloat(power, (4 * c + 2) << shift);
    } else {
      long low = PowersOfTen.low(-k) + (-k >= 0 && -k <= PowersOfTen.MAX_EXACT ? 0 : 1);
      long high = PowersOfTen.high(-k) + (low == 0 && PowersOfTen.low(-k) != 0 ? 1 : 0);
      lower = scale(high, low, (4 * c - (closerBelow ? 1 : 2)) << shift);
      middle = scale(high, low, (4 * c) << shift);
      upper = scale(high, low, (4 * c + 2) << shift);
    }
    // The ends of the interval round to the value only if c is even.
    int odd = (int) (c & 1);
    return putShortest(target, at, lower + odd, middle, upper - odd, k);
  }

  private static int putShortest(
      byte[] target, int at, long lower, long middle, long upper, int k) {
    long digits = middle >>> 2;
    if (digits >= 10) {
      long tens = digits / 10;
      boolean below = lower <= 40 * tens;
      boolean above = 40 * tens + 40 <= upper;
      if (below != above) {
        return DecimalDigits.putDecimal(target, at, above ? tens + 1 : tens, k + 1);
      }
    }
    boolean below = lower <= 4 * digits;
    boolean above = 4 * digits + 4 <= upper;
    if (below == above) {
      long half = 4 * digits + 2;
      above = middle > half || (middle == half && (digits & 1) != 0);
    }
    return DecimalDigits.putDecimal(target, at, above ? digits + 1 : digits, k);
  }

  /** The upper part of {@code power * value}; its lowest bit is set if the rest is not zero. */
  private static long scale(long high, long low, long value) {
    long carried = Math.unsignedMultiplyHigh(low, value);
    long middle = high * value;
    long upper = Math.unsignedMultiplyHigh(high, value);
    middle += carried;
    if (Long.compareUnsigned(middle, carried) < 0) {
      upper++;
    }
    return upper | (Long.compareUnsigned(middle, 1) > 0 ? 1 : 0);
  }

  /** As {@link #scale}, for a power of 64 bits and a value of 32. */
  private static long scaleFloat(long power, long value) {
    long upper = Math.unsignedMultiplyHigh(power, value << 32);
    return upper >>> 32 | ((upper & 0xffff_ffffL) > 1 ? 1 : 0);
  }
}
