package io.nereid.protocol;

import java.nio.charset.StandardCharsets;

/**
 * Reads numbers that {@link JsonNumbers} has checked. One object for many numbers of a document.
 *
 * <p>Digits go to a {@code long}. A decimal of up to 15 digits and a small power of ten are both
 * doubles, so one multiplication or division rounds as it should. A float may start from more
 * digits: the double is then off by at most two units in its last place, which matters only next to
 * the middle between two floats. What remains goes by 128-bit products, and the rare case that even
 * they leave open goes to the JDK. So all results equal those of {@link Double#parseDouble}.
 */
final class NumberScanner {
  private static final double[] EXACT_POWERS = new double[23];
  private static final long[] LONG_POWERS = new long[Long.BYTES + 1];
  private static final int MAX_DIGITS = 18;
  private static final long MAX_EXACT_INTEGER = 1L << 53;

  /** What a float's rounding looks at in a double: the bits that a float has not. */
  private static final long BELOW_FLOAT = (1L << 29) - 1;

  /** More digits than decide any double's rounding. */
  private static final int DECIDING_DIGITS = 800;

  static {
    for (int i = 0; i < EXACT_POWERS.length; i++) {
      EXACT_POWERS[i] = Double.parseDouble("1e" + i);
    }
    for (int i = 0; i < LONG_POWERS.length; i++) {
      LONG_POWERS[i] = (long) EXACT_POWERS[i];
    }
  }

  private final JsonBytes text;
  private int at;

  private boolean negative;

  /** The digits as a number, meaningful if there are at most {@link #MAX_DIGITS}. */
  private long digits;

  /** How many digits there are, leading zeros not counted where it matters. */
  private int digitCount;

  private int fractionDigits;
  private boolean fractional;
  private int exponent;

  NumberScanner(JsonBytes text) {
    this.text = text;
  }

  /** The position behind the number read last. */
  int end() {
    return at;
  }

  /** The number at {@code start}, as {@code (float) Double.parseDouble} reads it. */
  float nextFloat(int start) {
    if (scanShort(start)) {
      double value = digits / EXACT_POWERS[fractionDigits];
      return (float) (negative ? -value : value);
    }
    if (!scan(start)) {
      return (float) named(start);
    }
    if (digitCount <= MAX_DIGITS) {
      int power = exponent - fractionDigits;
      if (power >= -22 && power <= 22) {
        double value = power < 0 ? digits / EXACT_POWERS[-power] : digits * EXACT_POWERS[power];
        if (digits <= MAX_EXACT_INTEGER) {
          return (float) (negative ? -value : value);
        }
        long fromMiddle =
            (Double.doubleToRawLongBits(value) & BELOW_FLOAT) - ((BELOW_FLOAT + 1) >>> 1);
        if (Math.abs(fromMiddle) > 2 && value >= Float.MIN_NORMAL) {
          return (float) (negative ? -value : value);
        }
      }
    }
    return (float) rounded(start);
  }

  /** The number at {@code start}, as {@link Double#parseDouble} reads it. */
  double nextDouble(int start) {
    if (scanShort(start)) {
      double value = digits / EXACT_POWERS[fractionDigits];
      return negative ? -value : value;
    }
    if (!scan(start)) {
      return named(start);
    }
    if (digitCount <= MAX_DIGITS && digits <= MAX_EXACT_INTEGER) {
      int power = exponent - fractionDigits;
      if (power >= -22 && power <= 22) {
        double value = power < 0 ? digits / EXACT_POWERS[-power] : digits * EXACT_POWERS[power];
        return negative ? -value : value;
      }
    }
    return rounded(start);
  }

  /**
   * Reads the number at {@code start} as an integer.
   *
   * @return whether it is written as one: no fraction, no exponent, no name, and in the range of an
   *     unsigned {@code long}, or a signed one if it is negative
   */
  boolean nextInteger(int start) {
    if (!scan(start) || fractional) {
      return false;
    }
    if (digitCount <= MAX_DIGITS) {
      return true;
    }
    if (digitCount > MAX_DIGITS + 2) {
      return false;
    }
    int from = negative ? start + 1 : start;
    String written = new String(text.copy(from, at), StandardCharsets.US_ASCII);
    try {
      digits = Long.parseUnsignedLong(written);
    } catch (NumberFormatException _) {
      return false; // above 2^64
    }
    return !negative || Long.compareUnsigned(digits, Long.MIN_VALUE) <= 0;
  }

  /** Whether the integer read last is below zero; -0 is not. */
  boolean isNegative() {
    return negative && digits != 0;
  }

  /** The integer read last, modulo 2^64. */
  long integer() {
    return negative ? -digits : digits;
  }

  /**
   * Takes a number apart that has up to 7 digits on each side of a point and no exponent: what most
   * are, in two loads and hardly a branch that depends on the data. False for any other.
   */
  private boolean scanShort(int start) {
    int minus = text.at(start) == '-' ? 1 : 0;
    int first = start + minus;
    long word = text.eight(first);
    int whole = JsonBytes.digits(word);
    if (whole == 0 || whole == Long.BYTES || ((word >>> (whole * Byte.SIZE)) & 0xff) != '.') {
      return false;
    }
    long fractionWord = text.eight(first + whole + 1);
    int fraction = JsonBytes.digits(fractionWord);
    if (fraction == Long.BYTES || ((fractionWord >>> (fraction * Byte.SIZE)) & 0xdf) == 'E') {
      return false;
    }
    negative = minus != 0;
    digits =
        JsonBytes.number(word, whole) * LONG_POWERS[fraction]
            + JsonBytes.number(fractionWord, fraction);
    fractionDigits = fraction;
    at = first + whole + 1 + fraction;
    return true;
  }

  /** Takes the number apart; false if it is a name such as NaN. */
  private boolean scan(int start) {
    at = start;
    int found = text.at(start);
    negative = found == '-';
    if (negative) {
      found = text.at(++at);
    }
    if (found > '9') {
      return false;
    }
    digits = 0;
    int first = at;
    addDigits();
    digitCount = at - first;
    fractionDigits = 0;
    exponent = 0;
    fractional = false;
    found = text.at(at);
    if (found == '.') {
      fractional = true;
      int fraction = ++at;
      addDigits();
      fractionDigits = at - fraction;
      digitCount += fractionDigits;
      found = text.at(at);
    }
    if (found == 'e' || found == 'E') {
      fractional = true;
      addExponent();
    }
    if (digitCount > MAX_DIGITS) {
      dropLeadingZeros(first);
    }
    return true;
  }

  private void addDigits() {
    while (true) {
      long word = text.eight(at);
      int count = JsonBytes.digits(word);
      if (count > 0) {
        digits = digits * LONG_POWERS[count] + JsonBytes.number(word, count);
        at += count;
      }
      if (count < Long.BYTES) {
        return;
      }
    }
  }

  private void addExponent() {
    at++;
    boolean minus = text.at(at) == '-';
    if (minus || text.at(at) == '+') {
      at++;
    }
    int value = 0;
    for (int found = text.at(at); found >= '0' && found <= '9'; found = text.at(++at)) {
      value = Math.min(value * 10 + (found - '0'), 100_000_000);
    }
    exponent = minus ? -value : value;
  }

  private void dropLeadingZeros(int first) {
    for (int i = first; digitCount > 0; i++) {
      int found = text.at(i);
      if (found == '0') {
        digitCount--;
      } else if (found != '.') {
        return;
      }
    }
  }

  private double named(int start) {
    boolean infinite = text.at(at) == 'I';
    at = JsonNumbers.check(text, start);
    return !infinite ? Double.NaN : negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  /** The number scanned last, correctly rounded whatever its length. */
  private double rounded(int start) {
    double value = Double.NaN;
    if (digitCount <= MAX_DIGITS && digits != 0) {
      value = DecimalToDouble.tryRound(digits, exponent - fractionDigits);
    }
    if (Double.isNaN(value)) {
      value = slow(start);
    }
    return negative ? -value : value;
  }

  /** By the JDK, which gets no more digits than can matter. */
  private double slow(int start) {
    var decimal = new StringBuilder();
    long power = exponent;
    boolean behindPoint = false;
    boolean rest = false;
    for (int i = negative ? start + 1 : start; i < at; i++) {
      int found = text.at(i);
      if (found == '.') {
        behindPoint = true;
        continue;
      }
      if (found < '0' || found > '9') {
        break; // the exponent, already read
      }
      if (decimal.length() < DECIDING_DIGITS) {
        if (found != '0' || !decimal.isEmpty()) {
          decimal.append((char) found);
        }
        power -= behindPoint ? 1 : 0;
      } else {
        rest |= found != '0';
        power += behindPoint ? 0 : 1;
      }
    }
    if (decimal.isEmpty()) {
      return 0;
    }
    if (rest) {
      decimal.append('1'); // stands for all that was left out
      power--;
    }
    return Double.parseDouble(decimal.append('e').append(power).toString());
  }
}
