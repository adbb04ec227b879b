package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;

/** The failure of a model that reads an input which its request does not have: a bug of it. */
final class MissingInput {
  private MissingInput() {}

  static InferenceException of(ModelConfig config, String name) {
    return InferenceException.internal(
        config.input(name).isPresent()
            ? "model '%s' reads input '%s', which is optional and not in this request: use find"
                .formatted(config.name(), name)
            : "model '%s' reads input '%s', its inputs are %s"
                .formatted(
                    config.name(),
                    name,
                    config.inputs().stream().map(TensorConfig::name).toList()));
  }
}
