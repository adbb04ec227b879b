package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.Map;

/**
 * What the operator set for a backend.
 *
 * @param options the {@code --backend-config=<backend>,<key>=<value>} of this backend; among those
 *     without a backend the server passes {@code default-max-batch-size}
 */
public record BackendSettings(Map<String, String> options) {
  public BackendSettings {
    options = Map.copyOf(options);
  }

  /** The option's integer, or {@code otherwise} if it is not set. */
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
