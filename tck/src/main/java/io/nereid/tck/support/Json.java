package io.nereid.tck.support;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A JSON reader. Values are {@code Map} in the document's order, {@code List}, {@code String},
 * {@code Boolean}, {@code BigDecimal}, {@code Double} for the literals {@code NaN} and {@code
 * Infinity}, and {@link #NULL}. What is not JSON is an {@link AssertionError} that shows the text.
 */
public final class Json {
  /** The literal {@code null}. */
  public static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private Json() {}

  /** The document's value. */
  public static Object parse(byte[] text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      Object value = value(parser, parser.nextToken());
      if (parser.nextToken() != null) {
        throw new AssertionError("more than one JSON value: " + show(text));
      }
      return value;
    } catch (IOException failure) {
      throw new AssertionError("not JSON: " + show(text), failure);
    }
  }

  /** The document's value, an object. */
  public static Map<?, ?> object(byte[] text) {
    return object(parse(text));
  }

  /** A value that must be an object. */
  public static Map<?, ?> object(Object value) {
    return typed(Map.class, value, "an object");
  }

  /** A value that must be a list. */
  public static List<?> list(Object value) {
    return typed(List.class, value, "a list");
  }

  /** A value that must be a number. */
  public static Number number(Object value) {
    return typed(Number.class, value, "a number");
  }

  /** A value that must be an integer. */
  public static BigInteger integer(Object value) {
    if (number(value) instanceof BigDecimal number
        && number.remainder(BigDecimal.ONE).signum() == 0) {
      return number.toBigInteger();
    }
    throw wrong(value, "an integer");
  }

  /** A value that must be an integer of 64 bits. */
  public static long int64(Object value) {
    BigInteger integer = integer(value);
    if (integer.bitLength() < Long.SIZE) {
      return integer.longValue();
    }
    throw wrong(value, "an integer of 64 bits");
  }

  private static <T> T typed(Class<T> type, Object value, String what) {
    if (type.isInstance(value)) {
      return type.cast(value);
    }
    throw wrong(value, what);
  }

  private static AssertionError wrong(Object value, String expected) {
    Object shown = value instanceof String text ? "the string '" + text + "'" : value;
    return new AssertionError("expected %s, got %s".formatted(expected, shown));
  }

  /** A member that must be there. */
  public static Object member(Object object, String name) {
    Object value = object(object).get(name);
    if (value == null) {
      throw new AssertionError("no member '%s' in %s".formatted(name, object));
    }
    return value;
  }

  /** A member that must be there and be a list. */
  public static List<?> list(Object object, String name) {
    return typed(List.class, member(object, name), "a list as '%s'".formatted(name));
  }

  /** A member that must be there and be a string. */
  public static String string(Object object, String name) {
    return typed(String.class, member(object, name), "a string as '%s'".formatted(name));
  }

  /** A member that must be there and be an integer of 64 bits. */
  public static long number(Object object, String name) {
    return int64(member(object, name));
  }

  /**
   * Fails unless a value has all that {@code part} has, which is JSON: an object may have more
   * members, an array no more elements.
   */
  public static void assertHas(Object value, String part) {
    if (!has(value, parse(part.getBytes(StandardCharsets.UTF_8)))) {
      throw new AssertionError("%s is not part of %s".formatted(part, value));
    }
  }

  private static boolean has(@Nullable Object value, Object part) {
    return switch (part) {
      case Map<?, ?> members ->
          value instanceof Map<?, ?> object
              && members.entrySet().stream()
                  .allMatch(member -> has(object.get(member.getKey()), member.getValue()));
      case List<?> elements ->
          value instanceof List<?> list
              && list.size() == elements.size()
              && IntStream.range(0, list.size()).allMatch(i -> has(list.get(i), elements.get(i)));
      default -> part.equals(value);
    };
  }

  private static Object value(JsonParser parser, JsonToken token) throws IOException {
    if (token == null) {
      throw new AssertionError("no JSON value where one is expected");
    }
    return switch (token) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          members.put(name, value(parser, parser.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (var next = parser.nextToken();
            next != JsonToken.END_ARRAY;
            next = parser.nextToken()) {
          elements.add(value(parser, next));
        }
        yield elements;
      }
      case VALUE_STRING -> parser.getText();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> NULL;
      case VALUE_NUMBER_INT -> parser.getDecimalValue();
      case VALUE_NUMBER_FLOAT ->
          parser.isNaN() ? (Object) parser.getDoubleValue() : parser.getDecimalValue();
      case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
          throw new AssertionError("unexpected " + token);
    };
  }

  private static String show(byte[] text) {
    return new String(text, StandardCharsets.ISO_8859_1);
  }
}
