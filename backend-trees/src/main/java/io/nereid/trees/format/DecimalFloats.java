package io.nereid.trees.format;

/** The nearest float of a decimal number, for the common case that it can be told quickly. */
final class DecimalFloats {
  private static final double[] POWERS = new double[23];

  static {
    double power = 1;
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = power;
      power *= 10; // exact up to 10^22
    }
  }

  /** The bits of a double that a float does not have, and the value halfway between two floats. */
  private static final long TAIL = (1L << 29) - 1;

  private static final long HALF = 1L << 28;

  private DecimalFloats() {}

  /**
   * The nearest float to a number of the form {@code -1.5E-3}; NaN if the text is something else,
   * or the nearest float cannot be told quickly.
   */
  static float parse(char[] text, int length) {
    int at = 0;
    boolean isNegative = text[0] == '-';
    if (isNegative) {
      at++;
    }
    long digits = 0;
    int count = 0;
    int scale = 0;
    boolean fraction = false;
    for (; at < length; at++) {
      char c = text[at];
      if (c >= '0' && c <= '9') {
        digits = digits * 10 + (c - '0');
        scale -= fraction ? 1 : 0;
        if (++count > 15) {
          return Float.NaN;
        }
      } else if (c == '.' && !fraction) {
        fraction = true;
      } else {
        break;
      }
    }
    if (count == 0) {
      return Float.NaN;
    }
    if (at < length) {
      int exponent = exponent(text, at, length);
      if (exponent == Integer.MIN_VALUE) {
        return Float.NaN;
      }
      scale += exponent;
    }
    return rounded(digits, scale, isNegative);
  }

  private static int exponent(char[] text, int from, int length) {
    if (text[from] != 'E' && text[from] != 'e') {
      return Integer.MIN_VALUE;
    }
    int at = from + 1;
    boolean isNegative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+')) {
      at++;
    }
    if (at == length || length - at > 3) {
      return Integer.MIN_VALUE;
    }
    int exponent = 0;
    for (; at < length; at++) {
      int digit = text[at] - '0';
      if (digit < 0 || digit > 9) {
        return Integer.MIN_VALUE;
      }
      exponent = exponent * 10 + digit;
    }
    return isNegative ? -exponent : exponent;
  }

  /** Digits and power are exact doubles, so the double is the nearest one: it is rounded once. */
  private static float rounded(long digits, int scale, boolean isNegative) {
    if (Math.abs(scale) >= POWERS.length) {
      return Float.NaN;
    }
    double value = scale < 0 ? digits / POWERS[-scale] : digits * POWERS[scale];
    boolean isNormal = value == 0 || (value >= Float.MIN_NORMAL && value < Float.MAX_VALUE);
    long tail = Double.doubleToRawLongBits(value) & TAIL;
    if (!isNormal || Math.abs(tail - HALF) <= 1) {
      return Float.NaN; // a second rounding could go the other way
    }
    float nearest = (float) value;
    return isNegative ? -nearest : nearest;
  }
}
