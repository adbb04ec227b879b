package io.nereid.engine.scheduling.ensemble.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The steps that the requested outputs depend on, and no others. A value, shared by requests of the
 * same outputs.
 *
 * @param outputs the tensors of the ensemble's response, in its order
 * @param readers by tensor: the steps of the plan that read it
 */
public record EnsemblePlan(List<Integer> outputs, List<List<EnsembleStep>> readers) {
  public EnsemblePlan {
    outputs = List.copyOf(outputs);
    readers = readers.stream().map(List::copyOf).toList();
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

  public List<EnsembleStep> readers(int tensor) {
    return readers.get(tensor);
  }

  /** How often each value of a tensor is used: by every reader, and for the response. */
  public int uses(int tensor) {
    return readers.get(tensor).size() + (outputs.contains(tensor) ? 1 : 0);
  }
}
