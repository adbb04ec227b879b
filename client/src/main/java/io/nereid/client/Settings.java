package io.nereid.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Settings that are asked for and changed. They are set, so to do it twice does no harm. */
final class Settings {
  private Settings() {}

  /** {@code model}: empty for those of the server. */
  static CompletableFuture<Map<String, List<String>>> trace(
      Caller caller, String model, Map<String, List<String>> changes) {
    String asked = "trace settings at " + caller.transport().address();
    return caller.ask(context ->
        caller
            .transport()
            .management()
            .traceSettings(model, changes, context)
            .map(
                asked,
                tree -> {
                  Map<String, List<String>> settings = new LinkedHashMap<>();
                  object(tree)
                      .forEach(
                          (name, values) -> settings.put(String.valueOf(name), strings(values)));
                  return settings;
                }));
  }

  static CompletableFuture<Map<String, Object>> log(Caller caller, Map<String, ?> changes) {
    Map<String, Object> checked = new LinkedHashMap<>();
    changes.forEach((name, value) -> checked.put(name, checked(name, value)));
    String asked = "log settings at " + caller.transport().address();
    return caller.ask(context ->
        caller
            .transport()
            .management()
            .logSettings(checked, context)
            .map(
                asked,
                tree -> {
                  Map<String, Object> settings = new LinkedHashMap<>();
                  object(tree)
                      .forEach((name, value) -> {
                        if (value != null) {
                          settings.put(String.valueOf(name), value);
                        }
                      });
                  return settings;
                }));
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

  private static Map<?, ?> object(@Nullable Object tree) {
    if (tree instanceof Map<?, ?> members) {
      return members;
    }
    throw new IllegalArgumentException("the settings are no object");
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
