package io.nereid.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Settings that are asked for and changed. They are set, so to do it twice does no harm. */
final class Settings {
  private static final String NO_OBJECT = "the settings are no object";

  private Settings() {}

  /** {@code model}: empty for those of the server. */
  static CompletableFuture<Map<String, List<String>>> trace(
      Caller caller, String model, Map<String, List<String>> changes) {
    String asked = "trace settings at " + caller.transport().address();
    return caller.ask(
        "traceSettings",
        model,
        context ->
            caller
                .transport()
                .management()
                .traceSettings(model, changes, context)
                .map(asked, tree -> members(tree, NO_OBJECT, Settings::strings)));
  }

  static CompletableFuture<Map<String, Object>> log(Caller caller, Map<String, ?> changes) {
    Map<String, Object> checked = new LinkedHashMap<>();
    changes.forEach((name, value) -> checked.put(name, checked(name, value)));
    String asked = "log settings at " + caller.transport().address();
    return caller.ask(
        "logSettings",
        "",
        context ->
            caller
                .transport()
                .management()
                .logSettings(checked, context)
                .map(asked, tree -> members(tree, NO_OBJECT, value -> value)));
  }

  private static Object checked(String name, Object value) {
    if (value instanceof Integer number) {
      return number.longValue();
    }
    if (value instanceof Boolean || value instanceof Long || value instanceof String) {
      return value;
    }
    throw new IllegalArgumentException(
        "the setting '%s' is %s, and must be a boolean, a number or a string"
            .formatted(name, value));
  }

  /**
   * The members of an object, without those that are read as null.
   *
   * @param wrong what is wrong with a tree that is no object
   */
  static <V> Map<String, V> members(
      @Nullable Object tree, String wrong, Function<@Nullable Object, @Nullable V> reading) {
    if (!(tree instanceof Map<?, ?> members)) {
      throw new IllegalArgumentException(wrong);
    }
    Map<String, V> read = new LinkedHashMap<>();
    members.forEach((name, value) -> {
      V each = reading.apply(value);
      if (each != null) {
        read.put(String.valueOf(name), each);
      }
    });
    return read;
  }

  private static List<String> strings(@Nullable Object value) {
    List<String> strings = new ArrayList<>();
    if (value instanceof List<?> values) {
      values.forEach(each -> strings.add(String.valueOf(each)));
    } else if (value != null) {
      strings.add(value.toString());
    }
    return List.copyOf(strings);
  }
}
