package io.nereid.engine.model.config.text;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.TextFormat;
import com.google.protobuf.TextFormat.InvalidEscapeSequenceException;
import io.nereid.engine.model.config.text.Token.Kind;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A value that is no message, and is next. Of one of the wrong form it reports what was expected,
 * and returns what was meant if that is clear.
 *
 * @param path where it is
 * @param quotesAllowed whether names of enums may be in quotes, as in JSON
 */
record ScalarValue(
    TokenCursor cursor,
    TextProblems problems,
    FieldDescriptor field,
    Supplier<FieldPath> path,
    boolean quotesAllowed) {
  private static final Pattern INTEGER = Pattern.compile("-?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\\d*)");
  private static final Pattern WHOLE = Pattern.compile("(-?\\d{1,18})\\.0*");
  private static final Pattern DECIMAL =
      Pattern.compile("-?(\\d+(?:\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?[fF]?");
  private static final Pattern NOT_FINITE = Pattern.compile("(?i)-?(inf|infinity|nan)");
  private static final Set<String> TRUE = Set.of("true", "True", "t", "1");
  private static final Set<String> FALSE = Set.of("false", "False", "f", "0");

  /** The value as protobuf's reflection has it; empty if it cannot be told. */
  Optional<Object> read() {
    Token token = cursor.peek();
    if (!token.is(Kind.NAME) && !token.is(Kind.NUMBER) && !token.is(Kind.STRING)) {
      problems.skipped(
          token.begin(), path.get(), "expected %s, got %s".formatted(expected(), token.shown()));
      cursor.skipValue();
      return Optional.empty();
    }
    Optional<Object> value =
        switch (field.getType()) {
          case INT32 -> integer(31, true).map(BigInteger::intValue);
          case UINT32 -> integer(32, false).map(BigInteger::intValue);
          case INT64 -> integer(63, true).map(BigInteger::longValue);
          case UINT64 -> integer(64, false).map(BigInteger::longValue);
          case FLOAT -> number().map(Double::floatValue);
          case DOUBLE -> number().map(number -> number);
          case BOOL -> bool().map(flag -> flag);
          case STRING -> string().map(text -> text);
          case ENUM -> enumeration().map(constant -> constant);
          default -> throw new AssertionError("unexpected field type " + field.getType());
        };
    if (value.isEmpty()) {
      problems.unread(path.get());
    }
    return value;
  }

  private String expected() {
    return switch (field.getType()) {
      case INT32, INT64 -> "an integer";
      case UINT32, UINT64 -> "an integer that is not negative";
      case FLOAT, DOUBLE -> "a number";
      case BOOL -> "true or false";
      case STRING -> "a string in quotes";
      case ENUM -> "one of " + names(field.getEnumType());
      default -> "a message in braces";
    };
  }

  private static String names(EnumDescriptor type) {
    return type.getValues().stream()
        .map(EnumValueDescriptor::getName)
        .collect(Collectors.joining(", "));
  }

  private void unexpected(Token token) {
    String what = token.is(Kind.STRING) ? expected() + " without quotes" : expected();
    error(token, "expected %s, got %s", what, token.shown());
  }

  private void error(Token token, String format, Object... arguments) {
    problems.error(token.begin(), path.get(), format.formatted(arguments));
  }

  /** A token that may have been put in quotes by mistake. */
  private static String unquoted(Token token) {
    String text = token.text();
    return token.is(Kind.STRING) && text.length() >= 2
        ? text.substring(1, text.length() - 1)
        : text;
  }

  private Optional<BigInteger> integer(int bits, boolean signed) {
    Token token = cursor.next();
    String text = unquoted(token);
    if (text.equals("-") && cursor.peek().is(Kind.NUMBER)) {
      text += cursor.next().text();
    }
    var whole = WHOLE.matcher(text);
    if (whole.matches()) {
      unexpected(token);
      text = whole.group(1);
    } else if (!INTEGER.matcher(text).matches() || text.length() > 80) {
      unexpected(token);
      return Optional.empty();
    } else if (token.is(Kind.STRING)) {
      unexpected(token);
    }
    BigInteger value = parse(text);
    BigInteger limit = BigInteger.ONE.shiftLeft(bits);
    BigInteger least = signed ? limit.negate() : BigInteger.ZERO;
    BigInteger most = limit.subtract(BigInteger.ONE);
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      error(token, "expected %s to %s, got %s", least, most, token.shown());
      return Optional.empty();
    }
    return Optional.of(value);
  }

  /** A decimal, hexadecimal or octal integer. */
  private static BigInteger parse(String text) {
    boolean negative = text.startsWith("-");
    String digits = negative ? text.substring(1) : text;
    BigInteger value;
    if (digits.startsWith("0x") || digits.startsWith("0X")) {
      value = new BigInteger(digits.substring(2), 16);
    } else if (digits.length() > 1 && digits.startsWith("0") && digits.matches("[0-7]+")) {
      value = new BigInteger(digits, 8);
    } else {
      value = new BigInteger(digits);
    }
    return negative ? value.negate() : value;
  }

  private Optional<Double> number() {
    Token token = cursor.next();
    String text = unquoted(token);
    if (text.equals("-") && !cursor.peek().is(Kind.STRING)) {
      text += cursor.next().text();
    }
    boolean finite = DECIMAL.matcher(text).matches();
    if (!finite && !NOT_FINITE.matcher(text).matches()) {
      unexpected(token);
      return Optional.empty();
    }
    if (token.is(Kind.STRING)) {
      unexpected(token);
    }
    if (finite) {
      return Optional.of(Double.valueOf(text));
    }
    double value =
        text.regionMatches(true, text.startsWith("-") ? 1 : 0, "inf", 0, 3)
            ? Double.POSITIVE_INFINITY
            : Double.NaN;
    return Optional.of(text.startsWith("-") ? -value : value);
  }

  private Optional<Boolean> bool() {
    Token token = cursor.next();
    String text = unquoted(token);
    if (token.is(Kind.STRING) || !(TRUE.contains(text) || FALSE.contains(text))) {
      unexpected(token);
      text = text.toLowerCase(Locale.ROOT);
    }
    if (TRUE.contains(text) || text.equals("yes") || text.equals("on")) {
      return Optional.of(true);
    }
    return FALSE.contains(text) || text.equals("no") || text.equals("off")
        ? Optional.of(false)
        : Optional.empty();
  }

  private Optional<String> string() {
    Token token = cursor.next();
    if (!token.is(Kind.STRING)) {
      var word = new StringBuilder(token.text());
      while (!cursor.atLineBegin() && !cursor.atField() && isWord(cursor.peek())) {
        word.append(cursor.next().text()); // the rest of a name such as my-model
      }
      error(token, "expected %s, got '%s'", expected(), word);
      return Optional.of(word.toString());
    }
    var content = new StringBuilder(unescaped(token));
    while (cursor.peek().is(Kind.STRING) && !cursor.peek(1).is(':')) {
      content.append(unescaped(cursor.next()));
    }
    return Optional.of(content.toString());
  }

  private static boolean isWord(Token token) {
    return token.is(Kind.NAME) || token.is(Kind.NUMBER) || token.is('.') || token.is('/');
  }

  private String unescaped(Token token) {
    try {
      ByteString content = TextFormat.unescapeBytes(unquoted(token));
      if (!content.isValidUtf8()) {
        error(token, "this string is not UTF-8");
      }
      return content.toStringUtf8();
    } catch (InvalidEscapeSequenceException invalid) {
      error(token, "%s", String.valueOf(invalid.getMessage()));
      return "";
    }
  }

  private Optional<EnumValueDescriptor> enumeration() {
    EnumDescriptor type = field.getEnumType();
    Token token = cursor.peek();
    if (token.is(Kind.NUMBER)) {
      return integer(31, true)
          .map(number -> type.findValueByNumberCreatingIfUnknown(number.intValue()));
    }
    cursor.next();
    String name = unquoted(token);
    EnumValueDescriptor known = type.findValueByName(name);
    if (known != null) {
      if (token.is(Kind.STRING) && !quotesAllowed) {
        error(token, "expected %s without quotes, got %s", name, token.shown());
      }
      return Optional.of(known);
    }
    List<String> names = type.getValues().stream().map(EnumValueDescriptor::getName).toList();
    Optional<String> nearest = Names.nearestValue(name, names);
    problems.error(
        token.begin(),
        path.get(),
        nearest
            .map(near -> "unknown value %s; did you mean %s?".formatted(token.shown(), near))
            .orElseGet(() -> "expected %s, got %s".formatted(expected(), token.shown())));
    problems.unread(path.get()); // so that no rule complains of what was only guessed
    return nearest.map(type::findValueByName);
  }
}
