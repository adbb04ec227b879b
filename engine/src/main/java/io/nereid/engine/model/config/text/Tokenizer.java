package io.nereid.engine.model.config.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.protobuf.ByteString;
import io.nereid.engine.model.config.text.Token.Kind;

/**
 * Splits a text into tokens, without comments. It reports what is not a token of the text format
 * and goes on: comments of other languages, strings without an end, typographic quotes.
 */
final class Tokenizer {
  private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";
  private static final String TYPOGRAPHIC_QUOTES = "\u201C\u201D\u201E\u2018\u2019";

  private final SourceText source;
  private final String bytes;
  private final TextProblems problems;
  private final Tokens tokens;
  private int at;

  private Tokenizer(SourceText source, TextProblems problems) {
    this.source = source;
    this.bytes = source.bytes();
    this.problems = problems;
    this.tokens = new Tokens(source);
    this.at = bytes.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length() : 0; // as Triton does
  }

  static Tokens tokens(SourceText source, TextProblems problems) {
    var tokenizer = new Tokenizer(source, problems);
    tokenizer.skipBlanks();
    while (tokenizer.at < tokenizer.bytes.length()) {
      int begin = tokenizer.at;
      Kind kind = tokenizer.advance();
      tokenizer.tokens.add(kind, begin, tokenizer.at);
      tokenizer.skipBlanks();
    }
    return tokenizer.tokens;
  }

  /** Goes to the end of the token that begins here. */
  private Kind advance() {
    char first = peek(0);
    if (first == '"' || first == '\'') {
      string(first);
      return Kind.STRING;
    }
    if (isLetter(first)) {
      while (isLetter(peek(0)) || isDigit(peek(0))) {
        at++;
      }
      return Kind.NAME;
    }
    if (isDigit(first) || first == '-' || first == '+' || (first == '.' && isDigit(peek(1)))) {
      while (isInNumber(peek(0))) {
        at++;
      }
      return Kind.NUMBER;
    }
    int begin = at;
    skipCharacter();
    if (isTypographicQuote(begin)) {
      typographicString(begin);
      return Kind.STRING;
    }
    return Kind.SYMBOL;
  }

  /** Skips a character of UTF-8. */
  private void skipCharacter() {
    char first = bytes.charAt(at++);
    while (first >= 0x80 && SourceText.isContinuation(peek(0))) {
      at++;
    }
  }

  private void skipBlanks() {
    while (at < bytes.length()) {
      char next = peek(0);
      if (next == '#') {
        skipLine();
      } else if (next == '/' && (peek(1) == '/' || peek(1) == '*')) {
        problems.error(at, FieldPath.ROOT, "comments begin with '#', not '/" + peek(1) + "'");
        skipForeignComment(peek(1));
      } else if (next == ' ' || (next >= '\t' && next <= '\r')) {
        at++;
      } else {
        return;
      }
    }
  }

  private void skipLine() {
    int end = bytes.indexOf('\n', at);
    at = end < 0 ? bytes.length() : end;
  }

  private void skipForeignComment(char kind) {
    int end = kind == '*' ? bytes.indexOf("*/", at) : -1;
    if (end < 0) {
      skipLine();
    } else {
      at = end + 2;
    }
  }

  /** Skips a string of one line; without its closing quote it ends with the line. */
  private void string(char quote) {
    int begin = at++;
    while (at < bytes.length() && peek(0) != quote && peek(0) != '\n') {
      at += peek(0) == '\\' && peek(1) != '\n' ? 2 : 1;
    }
    at = Math.min(at, bytes.length());
    if (peek(0) == quote) {
      at++;
    } else {
      problems.skipped(begin, FieldPath.ROOT, "the closing quote of this string is missing");
    }
    if (!ByteString.copyFrom(bytes.substring(begin, at), ISO_8859_1).isValidUtf8()) {
      problems.error(begin, FieldPath.ROOT, "this string is not UTF-8");
    }
  }

  private void typographicString(int begin) {
    problems.error(begin, FieldPath.ROOT, "quotes are \" or ', got " + source.text(begin, at));
    while (at < bytes.length() && peek(0) != '\n') {
      int before = at;
      skipCharacter();
      if (isTypographicQuote(before)) {
        return;
      }
    }
  }

  /** Whether the character that ends here is a quotation mark of a word processor. */
  private boolean isTypographicQuote(int begin) {
    return at - begin == 3 && TYPOGRAPHIC_QUOTES.contains(source.text(begin, at));
  }

  /** The character at a distance; 0 behind the end. */
  private char peek(int distance) {
    return at + distance < bytes.length() ? bytes.charAt(at + distance) : 0;
  }

  private static boolean isInNumber(char each) {
    return isLetter(each) || isDigit(each) || each == '.' || each == '+' || each == '-';
  }

  private static boolean isLetter(char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '_';
  }

  private static boolean isDigit(char each) {
    return each >= '0' && each <= '9';
  }
}
