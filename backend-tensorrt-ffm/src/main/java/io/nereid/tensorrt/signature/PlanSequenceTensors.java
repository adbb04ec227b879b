package io.nereid.tensorrt.signature;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * The tensors of a sequence model that the server adds to requests or keeps; none for any other
 * model.
 *
 * @param controls inputs, with distinct names
 * @param states each an input and an output
 */
public record PlanSequenceTensors(List<TensorConfig> controls, List<State> states) {
  public PlanSequenceTensors {
    controls = List.copyOf(controls);
    states = List.copyOf(states);
  }

  /** Those of a configuration. */
  public static PlanSequenceTensors of(ModelConfig config) {
    return config
        .sequence()
        .map(PlanSequenceTensors::of)
        .orElse(new PlanSequenceTensors(List.of(), List.of()));
  }

  private static PlanSequenceTensors of(SequenceSettings sequence) {
    return new PlanSequenceTensors(
        sequence.controls().stream()
            .map(control -> TensorConfig.of(control.inputName(), control.dataType(), Shape.of(1)))
            .distinct()
            .toList(),
        sequence.states());
  }

  /** Whether a control or a state has that input name. */
  boolean reads(String name) {
    return controls.stream().anyMatch(control -> control.name().equals(name))
        || states.stream().anyMatch(state -> state.inputName().equals(name));
  }

  /** The state with that output name. */
  public Optional<State> output(String name) {
    return states.stream().filter(state -> state.outputName().equals(name)).findFirst();
  }
}
