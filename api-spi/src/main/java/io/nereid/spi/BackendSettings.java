package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.Map;

/**
 * The operator's settings for a backend.
 *
 * @param options value by key, from {@code --backend-config=<backend>,<key>=<value>}; includes
 *     {@code default-max-batch-size} if it is set for all backends
 */
public record BackendSettings(Map<String, String> options) {
  public BackendSettings {
    options = Map.copyOf(options);
  }

  /**
   * The value of an option that is an integer; {@code otherwise} if the option is not set.
   *
   * @throws InferenceException INVALID_ARGUMENT if the value is no {@code int}
   */
  public int integer(String key, int otherwise) {
    String value = options.get(key);
    try {
      return value == null ? otherwise : Integer.parseInt(value);
    } catch (NumberFormatException notANumber) {
      throw InferenceException.invalid(
          "backend option '%s' must be an integer, got '%s'".formatted(key, value));
    }
  }
}
