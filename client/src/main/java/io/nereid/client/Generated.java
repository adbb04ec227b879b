package io.nereid.client;

import java.util.Collections;
import java.util.Map;

/**
 * A response of the generate extension.
 *
 * @param values outputs and response parameters by name: one element is a {@code String}, {@code
 *     Long}, {@code Double} or {@code Boolean}, and several are a list
 */
public record Generated(String model, String version, Map<String, Object> values) {
  public Generated {
    values = Collections.unmodifiableMap(values);
  }

  /**
   * The value of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Object get(String name) {
    Object value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "model '%s' answered without '%s'; it has %s".formatted(model, name, values.keySet()));
    }
    return value;
  }

  /**
   * The string of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public String text(String name) {
    if (get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("'%s' is no string: %s".formatted(name, get(name)));
  }
}
