package io.nereid.engine.model.config.text;

/**
 * A token of a text.
 *
 * @param begin offset of its first byte
 * @param end offset behind its last byte
 * @param text as UTF-8; of a string with its quotes
 */
record Token(Kind kind, int begin, int end, String text) {
  enum Kind {
    NAME,
    NUMBER,
    STRING,
    /** Any other character, such as a bracket. */
    SYMBOL,
    END
  }

  boolean is(Kind other) {
    return kind == other;
  }

  boolean is(char symbol) {
    return kind == Kind.SYMBOL && text.length() == 1 && text.charAt(0) == symbol;
  }

  boolean opens() {
    return is('{') || is('[') || is('<');
  }

  boolean closes() {
    return is('}') || is(']') || is('>');
  }

  /** The token as messages show it. */
  String shown() {
    if (kind == Kind.END) {
      return "the end of the file";
    }
    String start = text.length() > 40 ? text.substring(0, 37) + "..." : text;
    return kind == Kind.STRING ? start : "'" + start + "'";
  }
}
