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
 * The tensors of a sequence model that are not inputs or outputs of its configuration; none for any
 * other model.
 *
 * @param controls inputs that the server adds, with distinct names
 * @param states inputs that the server adds, and outputs that it keeps
 */
record OnnxSequenceTensors(List<TensorConfig> controls, List<State> states) {
  OnnxSequenceTensors {
    controls = List.copyOf(controls);
    states = List.copyOf(states);
  }

  static OnnxSequenceTensors of(ModelConfig config) {
    return config
        .sequence()
        .map(OnnxSequenceTensors::of)
        .orElse(new OnnxSequenceTensors(List.of(), List.of()));
  }

  private static OnnxSequenceTensors of(SequenceSettings sequence) {
    return new OnnxSequenceTensors(
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

  /** The control or state with that input name. */
  Optional<TensorConfig> input(String name) {
    return Stream.concat(controls.stream(), states.stream().map(OnnxSequenceTensors::stateInput))
        .filter(input -> input.name().equals(name))
        .findFirst();
  }

  /** The state with that output name. */
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
