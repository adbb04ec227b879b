package io.nereid.engine.scheduling.ensemble.graph;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.scheduling.ensemble.graph.DependencyProblem.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The analysis of how often each tensor is produced. A tensor behind a decoupled step is produced
 * any number of times, and its n-th value belongs to the n-th values of the others. So the tensors
 * of one step, or of the response, must all originate from the same decoupled step, or from none.
 */
final class DecoupledFlow {
  /** The origin of tensors that are produced once per request. */
  private static final int ONCE = EnsembleGraph.NO_STEP;

  private final String ensemble;

  /** By tensor: the last decoupled step before it. */
  private final Map<Integer, Integer> origins = new HashMap<>();

  private boolean decoupled;
  private Optional<DependencyProblem> problem = Optional.empty();

  /**
   * Follows the tensors from the ensemble's inputs.
   *
   * @param composing the configuration of each step's model
   */
  DecoupledFlow(ModelConfig ensemble, EnsembleGraph graph, List<ModelConfig> composing) {
    this.ensemble = ensemble.name();
    for (TensorConfig input : ensemble.inputs()) {
      origins.put(graph.tensor(input.name()), ONCE);
    }
    List<EnsembleStep> left = new ArrayList<>(graph.steps());
    while (left.removeIf(step -> pass(step, composing.get(step.index())))) {
      // each round passes the steps whose inputs earlier rounds have produced
    }
    requireOneOrigin(
        EnsembleGraph.NO_STEP,
        ensemble.name(),
        ensemble.outputs().stream().map(output -> graph.tensor(output.name())).toList());
  }

  /** Whether a request of the ensemble gets any number of responses. */
  boolean isDecoupled() {
    return decoupled;
  }

  private boolean pass(EnsembleStep step, ModelConfig model) {
    if (!origins.keySet().containsAll(step.sources())) {
      return false;
    }
    int origin = requireOneOrigin(step.index(), model.name(), step.sources());
    decoupled |= model.decoupled();
    for (EnsembleStep.Mapping output : step.outputs()) {
      origins.put(output.tensor(), model.decoupled() ? step.index() : origin);
    }
    return true;
  }

  /** The first step, or the response, that needs tensors of different origins. */
  Optional<DependencyProblem> problem() {
    return problem;
  }

  private int requireOneOrigin(int step, String reader, List<Integer> tensors) {
    var origin = tensors.stream().map(origins::get).distinct().toList();
    if (origin.size() > 1 && problem.isEmpty()) {
      String message =
          ("in ensemble %s, step of model '%s' receives inputs originated from different decoupled"
                  + " models")
              .formatted(ensemble, reader);
      problem = Optional.of(new DependencyProblem(step, Place.INPUT, "", message));
    }
    return origin.isEmpty() ? ONCE : origin.getFirst();
  }
}
