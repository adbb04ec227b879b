package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;

/**
 * The {@code parameters} of a model that the gate runs.
 *
 * @param open {@code gate_open}: there is no gate, and nothing is recorded; false if not set
 * @param files {@code gate_files}: the gate is made of {@link GateFiles}, and nothing is recorded;
 *     false if not set
 * @param executeMicros {@code execute_micros}: how long each execution takes at least; 0 if not set
 * @param accumulates {@code gate_accumulate}: outputs and states are the sum of input and state
 *     instead of the input; false if not set
 */
record GateSettings(boolean open, boolean files, long executeMicros, boolean accumulates) {
  static GateSettings read(ModelConfig config) {
    return new GateSettings(
        flag(config, "gate_open"),
        flag(config, "gate_files"),
        micros(config),
        flag(config, "gate_accumulate"));
  }

  private static boolean flag(ModelConfig config, String name) {
    return switch (config.parameters().getOrDefault(name, "false")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw rejected(config, name, "true or false");
    };
  }

  private static long micros(ModelConfig config) {
    try {
      long micros = Long.parseLong(config.parameters().getOrDefault("execute_micros", "0"));
      if (micros >= 0) {
        return micros;
      }
    } catch (NumberFormatException notANumber) {
      throw rejected(config, "execute_micros", "a number");
    }
    throw rejected(config, "execute_micros", "0 or more");
  }

  private static InferenceException rejected(ModelConfig config, String name, String expected) {
    return InferenceException.invalid(
        "model '%s': parameter '%s' must be %s, got '%s'"
            .formatted(config.name(), name, expected, config.parameters().get(name)));
  }
}
