package io.nereid.engine.model.config.conversion;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.error.InferenceException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cursor over JSON in the legacy syntax that protobuf's C++ parser accepts: beside the standard,
 * strings in single quotes, control characters in strings, names without quotes, and a comma behind
 * the last member or element.
 *
 * <p>Each method skips blanks, then reads one thing or throws a {@link #failure}.
 */
final class LegacyJsonCursor {
  /** As many levels as protobuf's parser reads. */
  private static final int MAX_DEPTH = 100;

  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
  private static final Pattern NAME =
      Pattern.compile("(?!(null|true|false)\\b)[A-Za-z_][A-Za-z0-9_]*");
  private static final Pattern CODE_UNIT = Pattern.compile("[0-9a-fA-F]{4}");

  private final String text;
  private int at;
  private int depth;

  LegacyJsonCursor(String text) {
    this.text = text;
  }

  /** The next character, which is not read; NUL at the end. */
  char peek() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  /** Whether a string is next. */
  boolean isAtString() {
    return peek() == '"' || peek() == '\'';
  }

  /** Reads the token if it is next, and returns whether it was. */
  boolean take(String token) {
    peek();
    boolean found = text.startsWith(token, at);
    at += found ? token.length() : 0;
    return found;
  }

  private void require(String token) {
    if (!take(token)) {
      throw expected(token);
    }
  }

  /** Reads an object: calls {@code member} with each name, to read the value. */
  void object(Consumer<String> member) {
    items(
        "{",
        "}",
        () -> {
          String name = isAtString() ? string() : match(NAME, "a name");
          require(":");
          member.accept(name);
        });
  }

  /** Reads an array: calls {@code element} to read each value. */
  void array(Runnable element) {
    items("[", "]", element);
  }

  private void items(String open, String close, Runnable item) {
    require(open);
    if (++depth > MAX_DEPTH) {
      throw failure("nested in more than %d levels".formatted(MAX_DEPTH));
    }
    boolean more = true;
    while (!take(close)) {
      if (!more) {
        throw expected(", or " + close);
      }
      item.run();
      more = take(",");
    }
    depth--;
  }

  /** Reads a number as the text spells it. */
  String number() {
    return match(NUMBER, "a number");
  }

  String string() {
    if (!isAtString()) {
      throw expected("a string");
    }
    char quote = text.charAt(at++);
    var string = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote) {
      char next = text.charAt(at++);
      string.append(next == '\\' ? escaped() : next);
    }
    if (at++ == text.length()) {
      throw expected(Character.toString(quote));
    }
    if (!UTF_8.newEncoder().canEncode(string)) {
      throw failure("a string has half of a surrogate pair");
    }
    return string.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw expected("an escaped character");
    }
    char next = text.charAt(at++);
    return switch (next) {
      case '"', '\'', '\\', '/' -> next;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> (char) Integer.parseInt(match(CODE_UNIT, "four hexadecimal digits"), 16);
      default -> {
        at--;
        throw expected("an escaped character");
      }
    };
  }

  private String match(Pattern pattern, String what) {
    Matcher matcher = pattern.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      throw expected(what);
    }
    at = matcher.end();
    return matcher.group();
  }

  /** Requires that only blanks follow. */
  void end() {
    peek();
    if (at < text.length()) {
      throw expected("the end");
    }
  }

  /** The failure of a text that has something else where the cursor is. */
  InferenceException expected(String what) {
    String found = at < text.length() ? "'%c'".formatted(text.charAt(at)) : "the end";
    return failure("expected %s, found %s".formatted(what, found));
  }

  /** The failure of a text that was read up to the cursor. */
  InferenceException failure(String reason) {
    String before = text.substring(0, Math.min(at, text.length()));
    return InferenceException.invalid(
        "model configuration is not valid JSON: %s at line %d column %d"
            .formatted(
                reason,
                1 + before.chars().filter(each -> each == '\n').count(),
                before.length() - before.lastIndexOf('\n')));
  }
}
