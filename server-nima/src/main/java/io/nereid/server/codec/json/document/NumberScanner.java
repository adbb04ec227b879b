package io.nereid.server.codec.json.document;

import java.nio.charset.StandardCharsets;

/**
 * Reads numbers that {@link JsonNumbers} has checked. One object for many numbers of a document.
 *
 * <p>Digits go to a {@code long}. A decimal of up to 15 digits and a small power of ten are both
 * doubles, so one multiplication or division rounds as it should. A float may start from more
 * digits: the double is then off by at most two units in its last place, which matters only next to
 * the middle between two floats. What remains goes by 128-bit products, and the rare case that even
 * they leave open goes to the JDK. So all results equal those of {@link Double#parseDouble}.
 *
 * <p>It takes numbers apart and rounds them, both in one class: the parts are its fields, so that
 * none is made into an object on the way.
 */
public final class NumberScanner {
  private static final double[] EXACT_POWERS = new double[23];
  private static final double[] SIGNS = {1, -1};
  private static final long[] LONG_POWERS = new long[Long.BYTES + 1];
  private static final int MAX_DIGITS = 18;

  /** Below it there is room for two more digits. */
  private static final long MAX_DIGITS_BUT_TWO = 10_000_000_000_000_000L;

  private static final long MAX_EXACT_INTEGER = 1L << 53;

  /** What a float's rounding looks at in a double: the bits that a float has not. */
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

  /** The digits as a number, meaningful if there are at most {@link #MAX_DIGITS}. */
  private long digits;

  /** How many digits there are, leading zeros not counted where it matters. */
  private int digitCount;

  private int fractionDigits;
  private boolean fractional;
  private int exponent;

  /** For numbers that have been checked. */
  public NumberScanner(JsonBytes text) {
    this(text, false);
  }

  /**
   * @param checking whether to check each number, and that it ends with it
   */
  public NumberScanner(JsonBytes text, boolean checking) {
    this.text = text;
    this.checking = checking;
  }

  /** The position behind the number read last. */
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
   * @return whether it is written as one: no fraction, no exponent, no name, and in the range of an
   *     unsigned {@code long}, or a signed one if it is negative
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

  /** Whether the integer read last is below zero; -0 is not. */
  public boolean isNegative() {
    return negative && digits != 0;
  }

  /** The integer read last, modulo 2^64. */
  public long integer() {
    return negative ? -digits : digits;
  }

  /**
   * Takes a number apart, and checks it, that has up to 7 digits, perhaps up to 18 more behind a
   * point, no more than 18 that count, and no exponent: what most are, in a few loads and with
   * hardly a branch that depends on the data. False for any other.
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
    int behind = (int) (word >>> (whole * Byte.SIZE)) & 0xff;
    int fraction = 0;
    if (behind == '.') {
      long high = text.eight(end + 1);
      long low = text.eight(end + 1 + Long.BYTES);
      int highDigits = JsonBytes.digits(high);
      if (highDigits == 0) {
        return false;
      }
      // Whether there are more than 8 is a toss-up, so masks instead of a branch.
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
      behind = text.at(end);
    }
    if (behind != ',' && behind != ']' && behind != ' ') {
      return false;
    }
    this.minus = minus;
    negative = minus != 0;
    digits = value;
    digitCount = 1; // or more, but few enough
    fractionDigits = fraction;
    fractional = fraction > 0;
    exponent = 0;
    at = end;
    return true;
  }

  /** Takes the number apart; false if it is a name such as NaN. */
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
      throw JsonBytes.syntaxError("Invalid value.", end); // digits behind a leading zero
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
      value = LongDecimal.parse(text, negative ? start + 1 : start, at, exponent);
    }
    return negative ? -value : value;
  }
}
