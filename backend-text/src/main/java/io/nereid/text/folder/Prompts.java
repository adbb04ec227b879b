package io.nereid.text.folder;

import io.nereid.error.InferenceException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is put before texts, by name.
 *
 * @param defaultName of the prompt of requests that name none; empty if there is none
 */
public record Prompts(Map<String, String> byName, String defaultName) {
  public Prompts {
    byName = Map.copyOf(byName);
  }

  /** The text of the default; empty if there is none. */
  public String byDefault() {
    return defaultName.isEmpty() ? "" : named(defaultName);
  }

  /**
   * The text of a prompt.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none of that name
   */
  public String named(String name) {
    String prompt = byName.get(name);
    if (prompt == null) {
      throw InferenceException.invalid(
          "there is no prompt '%s', expected one of %s"
              .formatted(name, new TreeMap<>(byName).keySet()));
    }
    return prompt;
  }
}
