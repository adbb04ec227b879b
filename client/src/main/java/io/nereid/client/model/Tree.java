package io.nereid.client.model;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of an object. A member of another kind is an {@link IllegalArgumentException}.
 */
record Tree(Map<?, ?> members) {
  static Tree of(@Nullable Object value) {
    if (value == null) {
      return new Tree(Map.of());
    }
    if (value instanceof Map<?, ?> members) {
      return new Tree(members);
    }
    throw new IllegalArgumentException("'%s' is no object".formatted(value));
  }

  String text(String name) {
    return member(name, String.class, "", "a string");
  }

  long number(String name) {
    return member(name, Number.class, 0, "a number").longValue();
  }

  Tree object(String name) {
    return of(member(name, Map.class, Map.of(), "an object"));
  }

  private <T> T member(String name, Class<T> kind, T absent, String expected) {
    Object value = members.get(name);
    if (value == null) {
      return absent;
    }
    if (kind.isInstance(value)) {
      return kind.cast(value);
    }
    throw new IllegalArgumentException("'%s' is %s, not %s".formatted(name, value, expected));
  }

  <T> List<T> list(String name, Function<@Nullable Object, T> reading) {
    Object value = members.get(name);
    return value == null ? List.of() : listOf(value, reading);
  }

  static <T> List<T> listOf(@Nullable Object value, Function<@Nullable Object, T> reading) {
    if (value instanceof List<?> elements) {
      return elements.stream().map(reading).toList();
    }
    throw new IllegalArgumentException("'%s' is no array".formatted(value));
  }

  static String string(@Nullable Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("'%s' is no string".formatted(value));
  }
}
