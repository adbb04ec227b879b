package io.nereid.server.codec.json.document;

import java.nio.charset.StandardCharsets;

/**
 * A reader of the numbers of a document; one object reads many. All results are those of {@link
 * Double#parseDouble}.
 *
 * <p>The digits are collected in a {@code long}. If they and the power of ten are exact as doubles,
 * one multiplication or division rounds correctly. A float may have more digits: the double is then
 * wrong by at most two units in the last place, which matters only near the middle between two
 * floats. Other numbers take 128-bit products, and undecided ones the JDK.
 *
 * <p>Scanning and rounding are in one class so that the parts of a number are fields, not objects.
 */
public final class NumberScanner {
  private static final double[] EXACT_POWERS = new double[23];
  private static final double[] SIGNS = {1, -1};
  private static final long[] LONG_POWERS = new long[Long.BYTES + 1];
  private static final int MAX_DIGITS = 18;

  /** Below this value a {@code long} has room for two more digits. */
  private static final long MAX_DIGITS_BUT_TWO = 10_000_000_000_000_000L;

  private static final long MAX_EXACT_INTEGER = 1L << 53;

  /** The bits of a double that a float lacks. */
  private static final long BELOW_FLOAT = (1L << 29) - 1;

  static {
    for (int i = 0; i < EXACT_POWERS.length; i++) {
      EXACT_POWERS[i] = Double.parseDouble("1e" + i);
    }
    for (int i = 0; i < LONG_POWERS.length; i++) {
      LONG_POWERS[i] = (long) EXACT_POWERS[i];
    }
  }

  private final JsonBytes text;
  private final boolean checking;
  private int at;

  private boolean negative;

  /** 1 if it is negative, else 0. */
  private int minus;

  /** The value of the digits, if there are at most {@link #MAX_DIGITS}. */
  private long digits;

  /** The number of digits; leading zeros are dropped if it exceeds {@link #MAX_DIGITS}. */
  private int digitCount;

  private int fractionDigits;
  private boolean fractional;
  private int exponent;

  /** A scanner of numbers that {@link JsonNumbers} has checked. */
  public NumberScanner(JsonBytes text) {
    this(text, false);
  }

  /**
   * @param checking whether to check each number
   */
  public NumberScanner(JsonBytes text, boolean checking) {
    this.text = text;
    this.checking = checking;
  }

  /** The position after the number read last. */
  public int end() {
    return at;
  }

  /** The number at {@code start}, as {@code (float) Double.parseDouble} reads it. */
  public float nextFloat(int start) {
    if (!scanShort(start) && !scan(start)) {
      return (float) named(start);
    }
    if (digitCount <= MAX_DIGITS) {
      int power = exponent - fractionDigits;
      if (power >= -22 && power <= 22) {
        double value = power < 0 ? digits / EXACT_POWERS[-power] : digits * EXACT_POWERS[power];
        if (digits <= MAX_EXACT_INTEGER) {
          return (float) (value * SIGNS[minus]);
        }
        long fromMiddle =
            (Double.doubleToRawLongBits(value) & BELOW_FLOAT) - ((BELOW_FLOAT + 1) >>> 1);
        if (Math.abs(fromMiddle) > 2 && value >= Float.MIN_NORMAL) {
          return (float) (value * SIGNS[minus]);
        }
      }
    }
    return (float) rounded(start);
  }

  /** The number at {@code start}, as {@link Double#parseDouble} reads it. */
  public double nextDouble(int start) {
    if (!scanShort(start) && !scan(start)) {
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
   * @return whether it has no fraction, exponent or name, and is in the range of an unsigned {@code
   *     long}, or of a signed one if it is negative
   */
  public boolean nextInteger(int start) {
    if (scanShort(start)) {
      return !fractional;
    }
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

  /** Whether the integer read last is negative; -0 is not. */
  public boolean isNegative() {
    return negative && digits != 0;
  }

  /** The integer read last, modulo 2^64. */
  public long integer() {
    return negative ? -digits : digits;
  }

  /**
   * Scans and checks a common number: up to 7 digits, optionally a point and up to 18 digits, at
   * most 18 significant digits, and no exponent. Takes a few loads with few branches on the data.
   * Returns false for any other number.
   */
  private boolean scanShort(int start) {
    long word = text.eight(start);
    int minus = ((((int) word & 0xff) ^ '-') - 1) >>> 31;
    word >>>= minus * Byte.SIZE;
    int whole = JsonBytes.digits(word);
    if (whole == 0 || whole == Long.BYTES || ((word & 0xff) == '0' && whole > 1)) {
      return false;
    }
    long value = JsonBytes.number(word, whole);
    int end = start + minus + whole;
    int after = (int) (word >>> (whole * Byte.SIZE)) & 0xff;
    int fraction = 0;
    if (after == '.') {
      long high = text.eight(end + 1);
      long low = text.eight(end + 1 + Long.BYTES);
      int highDigits = JsonBytes.digits(high);
      if (highDigits == 0) {
        return false;
      }
      // Masks instead of a branch on whether there are more than 8, which is unpredictable.
      int lowDigits = JsonBytes.digits(low) & -(highDigits >>> 3);
      long lowNumber = JsonBytes.number(low, lowDigits) & -((lowDigits + 7L) >>> 3);
      fraction = highDigits + lowDigits;
      if (value != 0 && fraction + whole > MAX_DIGITS) {
        return false;
      }
      value = value * LONG_POWERS[highDigits] + JsonBytes.number(high, highDigits);
      value = value * LONG_POWERS[lowDigits] + lowNumber;
      if (fraction == 2 * Long.BYTES && value < MAX_DIGITS_BUT_TWO) {
        long rest = text.eight(end + 1 + fraction);
        int restDigits = Math.min(2, JsonBytes.digits(rest));
        if (restDigits > 0) {
          value = value * LONG_POWERS[restDigits] + JsonBytes.number(rest, restDigits);
          fraction += restDigits;
        }
      }
      end += 1 + fraction;
      after = text.at(end);
    }
    if (after != ',' && after != ']' && after != ' ') {
      return false;
    }
    this.minus = minus;
    negative = minus != 0;
    digits = value;
    digitCount = 1; // any value up to MAX_DIGITS will do
    fractionDigits = fraction;
    fractional = fraction > 0;
    exponent = 0;
    at = end;
    return true;
  }

  /** Scans a number; returns false if it is a name such as NaN. */
  private boolean scan(int start) {
    int end = checking ? JsonNumbers.check(text, start) : 0;
    at = start;
    int found = text.at(start);
    negative = found == '-';
    minus = 0;
    if (negative) {
      minus = 1;
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
    if (checking && at != end) {
      throw JsonBytes.syntaxError("Invalid value.", end); // digits after a leading zero
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

  /** The number scanned last, correctly rounded for any length. */
  private double rounded(int start) {
    double value = Double.NaN;
    if (digitCount <= MAX_DIGITS && digits != 0) {
      value = DecimalToDouble.tryRound(digits, exponent - fractionDigits);
    }
    if (Double.isNaN(value)) {
      value = DecimalToDouble.parse(text, negative ? start + 1 : start, at, exponent);
    }
    return negative ? -value : value;
  }
}
