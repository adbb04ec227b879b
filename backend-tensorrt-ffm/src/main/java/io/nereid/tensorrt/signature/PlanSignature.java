package io.nereid.tensorrt.signature;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The inputs and outputs of an engine, in its order, and how many optimisation profiles it has.
 *
 * @param tensors each at its index
 * @param profiles at least 1
 */
public record PlanSignature(List<PlanTensor> tensors, int profiles) {
  public PlanSignature {
    tensors = List.copyOf(tensors);
  }

  /** The inputs, in the engine's order. */
  public List<PlanTensor> inputs() {
    return tensors.stream().filter(PlanTensor::input).toList();
  }

  /** The outputs, in the engine's order. */
  public List<PlanTensor> outputs() {
    return tensors.stream().filter(Predicate.not(PlanTensor::input)).toList();
  }

  /** The input or output of that name. */
  public Optional<PlanTensor> find(String name) {
    return tensors.stream().filter(tensor -> tensor.name().equals(name)).findFirst();
  }

  /** Whether the first dimension of every tensor varies, so that it can be a batch dimension. */
  boolean canBatch() {
    return tensors.stream()
        .filter(Predicate.not(PlanTensor::shapeTensor))
        .allMatch(PlanTensor::hasVariableFirstDimension);
  }

  /**
   * The largest batch that a profile admits: the smallest of the inputs' largest first dimensions,
   * and of the first values of shape tensors. 0 if an input has no dimension, or none is there.
   */
  int maxBatchSize(int profile) {
    long smallest = Long.MAX_VALUE;
    for (PlanTensor input : inputs()) {
      var max = input.ranges().get(profile).max();
      smallest = Math.min(smallest, max.rank() == 0 ? 0 : max.dim(0));
    }
    return smallest == Long.MAX_VALUE ? 0 : Math.clamp(smallest, 0, Integer.MAX_VALUE);
  }

  /** The largest batch that any profile admits. */
  int maxBatchSize() {
    int largest = 0;
    for (int profile = 0; profile < profiles; profile++) {
      largest = Math.max(largest, maxBatchSize(profile));
    }
    return largest;
  }

  /**
   * The tensor of that name.
   *
   * @throws InferenceException INVALID_ARGUMENT if the engine has none in that role; the message
   *     contains those that it has
   */
  PlanTensor require(ModelConfig config, String role, String name, boolean input) {
    return find(name)
        .filter(tensor -> tensor.input() == input)
        .orElseThrow(() ->
            invalid(
                config,
                "unexpected %s '%s', allowed %ss are: %s"
                    .formatted(
                        role,
                        name,
                        input ? "input" : "output",
                        (input ? inputs() : outputs())
                            .stream().map(PlanTensor::name).collect(Collectors.joining(", ")))));
  }

  static InferenceException invalid(ModelConfig config, String message) {
    return InferenceException.invalid(
        "unable to load model '%s', %s".formatted(config.name(), message));
  }
}
