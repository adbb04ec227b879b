package io.nereid.server.codec.json.document;

/** A checker of the grammar of numbers. */
public final class JsonNumbers {
  /** A shorter number with an exponent of at most two digits is in the range of a double. */
  private static final int SURELY_FINITE_LENGTH = 200;

  private static final int SURELY_FINITE_EXPONENT_DIGITS = 2;

  private JsonNumbers() {}

  /**
   * Checks a run of numbers separated by commas.
   *
   * @param at the position of the first
   * @return the position after the last
   */
  static int checkRun(JsonBytes text, int at) {
    int end = check(text, at);
    while (text.at(end) == ',') {
      int next = text.skipBlanks(end + 1);
      int found = text.at(next);
      if (found != '-' && (found < '0' || found > '9')) {
        return end; // the caller checks the comma and what follows
      }
      end = check(text, next);
    }
    return end;
  }

  /**
   * Checks a JSON number, or {@code NaN}, {@code Inf}, {@code Infinity} with or without a minus.
   *
   * @return the position after it
   */
  public static int check(JsonBytes text, int start) {
    int at = start;
    int found = text.at(at);
    if (found == '-') {
      found = text.at(++at);
    }
    if (found == '0') {
      found = text.at(++at);
    } else if (found > '0' && found <= '9') {
      at = text.skipDigits(at);
      found = text.at(at);
    } else {
      return checkName(text, at);
    }
    if (found == '.') {
      int fraction = text.skipDigits(at + 1);
      if (fraction == at + 1) {
        throw JsonBytes.syntaxError("Miss fraction part in number.", fraction);
      }
      at = fraction;
      found = text.at(at);
    }
    int exponentDigits = 0;
    if (found == 'e' || found == 'E') {
      int sign = text.at(at + 1);
      int exponent = at + (sign == '+' || sign == '-' ? 2 : 1);
      at = text.skipDigits(exponent);
      exponentDigits = at - exponent;
      if (exponentDigits == 0) {
        throw JsonBytes.syntaxError("Miss exponent in number.", at);
      }
    }
    if (exponentDigits > SURELY_FINITE_EXPONENT_DIGITS || at - start > SURELY_FINITE_LENGTH) {
      checkMagnitude(text, start);
    }
    return at;
  }

  private static void checkMagnitude(JsonBytes text, int start) {
    if (Double.isInfinite(new NumberScanner(text).nextDouble(start))) {
      throw JsonBytes.syntaxError("Number too big to be stored in double.", start);
    }
  }

  private static int checkName(JsonBytes text, int at) {
    if (text.at(at) == 'N') {
      return follow(text, at, "NaN");
    }
    int next = follow(text, at, "Inf");
    return text.at(next) == 'i' ? follow(text, next, "inity") : next;
  }

  /** Checks that a word is there, and returns the position after it. */
  static int follow(JsonBytes text, int at, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (text.at(at + i) != word.charAt(i)) {
        throw JsonBytes.syntaxError("Invalid value.", at + i);
      }
    }
    return at + word.length();
  }
}
