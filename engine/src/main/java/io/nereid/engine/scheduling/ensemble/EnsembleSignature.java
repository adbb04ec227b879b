package io.nereid.engine.scheduling.ensemble;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.SharedLease;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.Reshape;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The inputs and outputs of an ensemble as clients see them, and their conversion from and to its
 * tensors of the same names: {@code reshape} and, for outputs, the batch dimension. A value.
 */
public final class EnsembleSignature {
  private final ModelConfig config;
  private final List<Integer> inputs;
  private final Map<Integer, TensorConfig> outputs = new HashMap<>();
  private final InferenceException undescribed;

  public EnsembleSignature(ModelConfig config, EnsembleGraph graph) {
    this.config = config;
    this.inputs = config.inputs().stream().map(input -> graph.tensor(input.name())).toList();
    config.outputs().forEach(output -> outputs.put(graph.tensor(output.name()), output));
    this.undescribed =
        InferenceException.internal(
            "ensemble '%s' failed, and there was no memory to say why".formatted(config.name()));
  }

  /** A failure that there is no memory to describe. */
  InferenceException undescribed() {
    return undescribed;
  }

  public String name() {
    return config.name();
  }

  /** A failure of a step as a failure of the ensemble. */
  public InferenceException inEnsemble(InferenceException failure) {
    return new InferenceException(
        failure.code(),
        "in ensemble '%s', %s".formatted(config.name(), failure.getMessage()),
        failure);
  }

  /** Whether a request gets any number of responses. */
  public boolean isDecoupled() {
    return config.decoupled();
  }

  /** The ensemble's inputs, in the order of the configuration. */
  public List<Integer> inputs() {
    return inputs;
  }

  String outputName(int output) {
    return Objects.requireNonNull(outputs.get(output)).name();
  }

  /**
   * Adds a request's inputs to the values that steps read.
   *
   * @param memory the inputs' memory
   */
  public void put(PendingRequest request, TensorValues values, SharedLease memory) {
    long rows = config.batches() ? request.rows() : 0;
    for (int i = 0; i < inputs.size(); i++) {
      TensorConfig declared = config.inputs().get(i);
      Tensor sent = request.request().input(declared.name()).orElse(null);
      Tensor value = sent == null ? null : Reshape.forModel(config, declared, sent);
      values.put(inputs.get(i), 0, value, memory, rows, null);
    }
  }

  /** The value of an output as clients get it. */
  public Tensor output(int number, TensorValue value, Tensor tensor) {
    TensorConfig declared = Objects.requireNonNull(outputs.get(number));
    Optional<Shape> reshape = declared.reshape();
    Shape dims = reshape.orElse(declared.dims());
    Shape shape = value.shapeFor(tensor, dims, config.batches());
    if (reshape.isPresent()) {
      shape = Reshape.apply(dims, declared.dims(), shape, config.batches());
    }
    return new Tensor(declared.name(), tensor.dataType(), shape, tensor.data());
  }
}
