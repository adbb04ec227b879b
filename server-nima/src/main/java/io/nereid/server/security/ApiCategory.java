package io.nereid.server.security;

import java.util.Arrays;
import java.util.Optional;

/** The groups of calls that can be restricted, on both protocols, with Triton's names. */
public enum ApiCategory {
  HEALTH("health"),
  METADATA("metadata"),
  INFERENCE("inference"),
  SHARED_MEMORY("shared-memory"),
  MODEL_CONFIG("model-config"),
  MODEL_REPOSITORY("model-repository"),
  STATISTICS("statistics"),
  TRACE("trace"),
  LOGGING("logging"),
  /** The data of the console; HTTP alone has it, and Triton does not. */
  CONSOLE("console");

  private final String text;

  ApiCategory(String text) {
    this.text = text;
  }

  static Optional<ApiCategory> parse(String text) {
    return Arrays.stream(values()).filter(category -> category.text.equals(text)).findFirst();
  }

  /** As in options. */
  @Override
  public String toString() {
    return text;
  }
}
