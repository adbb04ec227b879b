package io.nereid.server.codec.json.document;

import io.nereid.server.codec.PowersOfTen;

/**
 * The rounding of decimal numbers to doubles. {@link #tryRound} takes two 64-bit multiplications,
 * by the method of Eisel and Lemire (Daniel Lemire, <i>Number Parsing at a Gigabyte per Second</i>,
 * 2021); {@link #parse} rounds by the JDK what the known bits of the product do not decide.
 */
final class DecimalToDouble {
  private static final int FRACTION_BITS = 52;
  private static final int BIAS = 1023;
  private static final int INFINITE_EXPONENT = 2047;
  private static final int MAX_POWER = 308;

  /** More digits than decide any double's rounding. */
  private static final int DECIDING_DIGITS = 800;

  private DecimalToDouble() {}

  /**
   * Rounds {@code digits * 10^power}.
   *
   * @param digits above 0
   * @return the nearest double, or NaN if the rounding is undecided
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
      return Double.NaN; // a carry from the unknown bits is possible
    }
    long fraction = upper >>> spare;
    boolean roundUp = (fraction & 1) != 0;
    if (roundUp && below == 0 && (lower == 0 || lower == 1)) {
      return Double.NaN; // possibly in the middle between two doubles
    }
    fraction = (fraction >>> 1) + (roundUp ? 1 : 0);
    int exponent = PowersOfTen.binaryExponent(power) + 63 - shift + top + BIAS;
    if (exponent <= 0 || exponent >= INFINITE_EXPONENT - 1) {
      return Double.NaN; // subnormal, with fewer bits than rounded to above; or possibly infinite
    }
    // A fraction that rounding carried to 2^53 adds one to the exponent, as it should.
    return Double.longBitsToDouble(((long) (exponent - 1) << FRACTION_BITS) + fraction);
  }

  /**
   * Parses the number in {@code text} from {@code start} to {@code end}, which has no sign.
   *
   * @param exponent the number's; its text may be part of the range
   */
  static double parse(JsonBytes text, int start, int end, int exponent) {
    var decimal = new StringBuilder();
    long power = exponent;
    boolean afterPoint = false;
    boolean rest = false;
    for (int i = start; i < end; i++) {
      int found = text.at(i);
      if (found == '.') {
        afterPoint = true;
        continue;
      }
      if (found < '0' || found > '9') {
        break; // the exponent
      }
      if (decimal.length() < DECIDING_DIGITS) {
        if (found != '0' || !decimal.isEmpty()) {
          decimal.append((char) found);
        }
        power -= afterPoint ? 1 : 0;
      } else {
        rest |= found != '0';
        power += afterPoint ? 0 : 1;
      }
    }
    if (decimal.isEmpty()) {
      return 0;
    }
    if (rest) {
      decimal.append('1'); // stands for all omitted digits
      power--;
    }
    return Double.parseDouble(decimal.append('e').append(power).toString());
  }
}
