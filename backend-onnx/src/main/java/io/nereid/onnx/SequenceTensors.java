package io.nereid.onnx;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a sequence model's file has beside the configuration's inputs and outputs. Nothing for any
 * other model.
 *
 * @param controls as inputs that the server adds; names distinct
 * @param states as inputs that the server adds and outputs that it keeps
 */
record SequenceTensors(List<TensorConfig> controls, List<State> states) {
  SequenceTensors {
    controls = List.copyOf(controls);
    states = List.copyOf(states);
  }

  static SequenceTensors of(ModelConfig config) {
    return config
        .sequence()
        .map(SequenceTensors::of)
        .orElse(new SequenceTensors(List.of(), List.of()));
  }

  private static SequenceTensors of(SequenceSettings sequence) {
    return new SequenceTensors(
        sequence.controls().stream()
            .map(control -> TensorConfig.of(control.inputName(), control.dataType(), Shape.of(1)))
            .distinct()
            .toList(),
        sequence.states());
  }

  boolean reads(String name) {
    return input(name).isPresent();
  }

  boolean writes(String name) {
    return output(name).isPresent();
  }

  /** The control or state that the model reads under that name. */
  Optional<TensorConfig> input(String name) {
    return Stream.concat(controls.stream(), states.stream().map(SequenceTensors::stateInput))
        .filter(input -> input.name().equals(name))
        .findFirst();
  }

  /** The state that the model writes under that name. */
  Optional<State> output(String name) {
    return states.stream().filter(state -> state.outputName().equals(name)).findFirst();
  }

  static TensorConfig stateInput(State state) {
    return TensorConfig.of(state.inputName(), state.dataType(), state.dims());
  }

  static TensorConfig stateOutput(State state) {
    return TensorConfig.of(state.outputName(), state.dataType(), state.dims());
  }
}
