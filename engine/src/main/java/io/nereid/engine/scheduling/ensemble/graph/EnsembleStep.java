package io.nereid.engine.scheduling.ensemble.graph;

import java.util.List;

/**
 * A step of an ensemble.
 *
 * @param index in the order of the configuration
 * @param model the index of its model in {@link EnsembleGraph#models}
 * @param inputs the mapped inputs of the model, by name
 * @param outputs the mapped outputs of the model, by name
 * @param sources the tensors that it reads, each once
 * @param targets the tensors that it writes, each once
 */
public record EnsembleStep(
    int index,
    int model,
    List<Mapping> inputs,
    List<Mapping> outputs,
    List<Integer> sources,
    List<Integer> targets) {
  /** An input or an output of the step's model, and the tensor of the ensemble that it maps to. */
  public record Mapping(String name, int tensor) {}

  public EnsembleStep {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    sources = List.copyOf(sources);
    targets = List.copyOf(targets);
  }

  static EnsembleStep of(int index, int model, List<Mapping> inputs, List<Mapping> outputs) {
    return new EnsembleStep(index, model, inputs, outputs, tensors(inputs), tensors(outputs));
  }

  private static List<Integer> tensors(List<Mapping> mappings) {
    return mappings.stream().map(Mapping::tensor).distinct().toList();
  }

  /** The names of the outputs that each request of this step asks for. */
  public List<String> outputNames() {
    return outputs.stream().map(Mapping::name).toList();
  }
}
