package io.nereid.server.codec.json.document;

/** The last resort for numbers: by the JDK, which gets no more digits than can matter. */
final class LongDecimal {
  /** More digits than decide any double's rounding. */
  private static final int DECIDING_DIGITS = 800;

  private LongDecimal() {}

  /**
   * The number in {@code text} from {@code start} to {@code end}, which has no sign.
   *
   * @param exponent behind its digits; the text of it may be part of the range
   */
  static double parse(JsonBytes text, int start, int end, int exponent) {
    var decimal = new StringBuilder();
    long power = exponent;
    boolean behindPoint = false;
    boolean rest = false;
    for (int i = start; i < end; i++) {
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
