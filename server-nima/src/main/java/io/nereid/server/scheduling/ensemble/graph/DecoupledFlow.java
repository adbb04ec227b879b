package io.nereid.server.scheduling.ensemble.graph;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which step made how many of each tensor. The tensors behind a decoupled step come any number of
 * times, and the n-th of one belongs to the n-th of the others; so what meets in one step, or in
 * the response, must have come through the same decoupled step, or through none.
 */
final class DecoupledFlow {
  /** Of tensors that come once a request. */
  private static final int ONCE = EnsembleGraph.NO_STEP;

  private final String ensemble;

  /** By tensor: the last decoupled step on its way. */
  private final Map<Integer, Integer> origins = new HashMap<>();

  private boolean decoupled;

  /**
   * Follows the tensors from the ensemble's inputs on.
   *
   * @param composing the configuration of each step's model
   * @throws InferenceException if tensors meet that do not belong together
   */
  DecoupledFlow(ModelConfig ensemble, EnsembleGraph graph, List<ModelConfig> composing) {
    this.ensemble = ensemble.name();
    for (TensorConfig input : ensemble.inputs()) {
      origins.put(graph.tensor(input.name()), ONCE);
    }
    List<EnsembleStep> left = new ArrayList<>(graph.steps());
    while (left.removeIf(step -> pass(step, composing.get(step.index())))) {
      // each round passes the steps whose inputs the round before has reached
    }
    requireOneOrigin(
        ensemble.name(),
        ensemble.outputs().stream().map(output -> graph.tensor(output.name())).toList());
  }

  /** Whether a request may get any number of responses. */
  boolean isDecoupled() {
    return decoupled;
  }

  private boolean pass(EnsembleStep step, ModelConfig model) {
    if (!origins.keySet().containsAll(step.sources())) {
      return false;
    }
    int origin = requireOneOrigin(model.name(), step.sources());
    decoupled |= model.decoupled();
    for (EnsembleStep.Mapping output : step.outputs()) {
      origins.put(output.tensor(), model.decoupled() ? step.index() : origin);
    }
    return true;
  }

  private int requireOneOrigin(String reader, List<Integer> tensors) {
    var origin = tensors.stream().map(origins::get).distinct().toList();
    if (origin.size() > 1) {
      throw InferenceException.invalid(
          ("in ensemble %s, step of model '%s' receives inputs originated from different decoupled"
                  + " models")
              .formatted(ensemble, reader));
    }
    return origin.isEmpty() ? ONCE : origin.getFirst();
  }
}
