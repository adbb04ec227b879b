package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One request of an execution, copied from the inputs of the model.
 *
 * @param id the client's; empty for padding
 * @param padding whether it is a slot without a request
 * @param rows its rows in the batch
 * @param inputs its inputs, by name
 * @param controls empty unless the model serves sequences
 * @param states what the sequence's states were before the execution, by input name
 * @param wanted the requested outputs
 */
public record ExecutedRequest(
    String id,
    boolean padding,
    long rows,
    Map<String, Tensor> inputs,
    Optional<Controls> controls,
    Map<String, Tensor> states,
    List<String> wanted) {
  public ExecutedRequest {
    inputs = Map.copyOf(inputs);
    states = Map.copyOf(states);
    wanted = List.copyOf(wanted);
  }

  static ExecutedRequest read(ModelConfig config, Batch batch, Results results, int index) {
    Map<String, Tensor> inputs = new LinkedHashMap<>();
    for (TensorConfig input : config.inputs()) {
      batch
          .input(index, input.name())
          .ifPresent(tensor -> inputs.put(input.name(), Tensors.copy(tensor)));
    }
    Optional<Controls> controls = Optional.empty();
    Map<String, Tensor> states = new LinkedHashMap<>();
    if (config.scheduling() instanceof SequenceSettings sequences) {
      controls = Optional.of(Controls.read(sequences, batch, index));
      for (SequenceSettings.State state : sequences.states()) {
        states.put(state.inputName(), Tensors.copy(batch.state(index, state.inputName())));
      }
    }
    boolean padding = batch.isPadding(index);
    return new ExecutedRequest(
        padding ? "" : batch.request(index).id(),
        padding,
        padding ? 1 : batch.request(index).rows(config),
        inputs,
        controls,
        states,
        config.outputs().stream()
            .map(TensorConfig::name)
            .filter(output -> results.wants(index, output))
            .toList());
  }

  /** The shape of one of its inputs, with the batch dimension. */
  public Shape shape(String input) {
    Tensor tensor = inputs.get(input);
    if (tensor == null) {
      throw new AssertionError("request '%s' has no '%s', but %s".formatted(id, input, inputs));
    }
    return tensor.shape();
  }
}
