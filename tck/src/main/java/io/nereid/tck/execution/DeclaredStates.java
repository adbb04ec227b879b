package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The states that a model declares, as tensors; none if it is no sequence model. */
final class DeclaredStates {
  private DeclaredStates() {}

  /** The state that the model reads under that name. */
  static Optional<TensorConfig> input(ModelConfig config, String name) {
    return find(config, State::inputName, name);
  }

  /** The state that the model writes under that name. */
  static Optional<TensorConfig> output(ModelConfig config, String name) {
    return find(config, State::outputName, name);
  }

  private static Optional<TensorConfig> find(
      ModelConfig config, Function<State, String> key, String name) {
    return config.sequence().map(SequenceSettings::states).orElse(List.of()).stream()
        .filter(state -> key.apply(state).equals(name))
        .findFirst()
        .map(state -> TensorConfig.of(name, state.dataType(), state.dims()));
  }
}
