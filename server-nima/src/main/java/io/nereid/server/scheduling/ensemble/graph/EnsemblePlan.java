package io.nereid.server.scheduling.ensemble.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is to run for the outputs that a request asks for: the steps that they depend on, and no
 * others. A value, shared by requests that ask for the same.
 */
public final class EnsemblePlan {
  private final List<Integer> outputs;
  private final List<List<EnsembleStep>> readers;

  private EnsemblePlan(List<Integer> outputs, List<List<EnsembleStep>> readers) {
    this.outputs = List.copyOf(outputs);
    this.readers = readers.stream().map(List::copyOf).toList();
  }

  static EnsemblePlan of(EnsembleGraph graph, List<Integer> outputs) {
    Set<Integer> needed = new HashSet<>();
    var open = new ArrayDeque<>(outputs);
    while (!open.isEmpty()) {
      int step = graph.producers().get(open.remove());
      if (step != EnsembleGraph.NO_STEP && needed.add(step)) {
        open.addAll(graph.steps().get(step).sources());
      }
    }
    List<List<EnsembleStep>> readers =
        Stream.<List<EnsembleStep>>generate(ArrayList::new).limit(graph.tensors().size()).toList();
    for (EnsembleStep step : graph.steps()) {
      if (needed.contains(step.index())) {
        step.sources().forEach(tensor -> readers.get(tensor).add(step));
      }
    }
    return new EnsemblePlan(outputs, readers);
  }

  /** The tensors that the ensemble's response is made of, in its order. */
  public List<Integer> outputs() {
    return outputs;
  }

  boolean isOutput(int tensor) {
    return outputs.contains(tensor);
  }

  /** The steps that are to read a tensor. */
  public List<EnsembleStep> readers(int tensor) {
    return readers.get(tensor);
  }

  /** How often each value of a tensor is taken: by every reader, and for the response. */
  public int uses(int tensor) {
    return readers.get(tensor).size() + (isOutput(tensor) ? 1 : 0);
  }
}
