package io.nereid.engine.model.loading;

import io.nereid.engine.model.ModelId;
import io.nereid.error.InferenceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The order in which ensembles load: each after the ensembles that it is composed of. Immutable.
 */
public final class EnsembleOrder {
  private final Map<ModelId, Collection<ModelId>> composing;
  private final Set<ModelId> order = new LinkedHashSet<>();
  private final Map<ModelId, InferenceException> circularities = new HashMap<>();

  /**
   * @param composing the models of each ensemble's steps, by ensemble
   */
  public EnsembleOrder(Map<ModelId, ? extends Collection<ModelId>> composing) {
    this.composing = new TreeMap<>(composing);
    for (ModelId ensemble : this.composing.keySet()) {
      visit(ensemble, new ArrayDeque<>());
    }
  }

  /** All ensembles; the order within a circular dependency is unspecified. */
  public List<ModelId> ensembles() {
    return List.copyOf(order);
  }

  /**
   * Checks that an ensemble does not depend on itself, directly or through others.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  public void requireNotCircular(ModelId ensemble) {
    InferenceException failure = circularities.get(ensemble);
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * @param path the ensembles that lead to this one, outermost first
   */
  private void visit(ModelId ensemble, Deque<ModelId> path) {
    if (path.contains(ensemble)) {
      List<ModelId> circle = new ArrayList<>(path);
      recordCircle(circle.subList(circle.indexOf(ensemble), circle.size()));
    } else if (composing.containsKey(ensemble) && !order.contains(ensemble)) {
      path.addLast(ensemble);
      composing.getOrDefault(ensemble, List.of()).forEach(model -> visit(model, path));
      path.removeLast();
      order.add(ensemble);
    }
  }

  /** Fails every ensemble of the circle with Triton's message, which begins with the first name. */
  private void recordCircle(List<ModelId> circle) {
    ModelId first = Collections.min(circle);
    int before = Math.floorMod(circle.indexOf(first) - 1, circle.size());
    InferenceException failure =
        InferenceException.invalid(
            "circular dependency between ensembles: %s -> ... -> %s -> %s"
                .formatted(first.name(), circle.get(before).name(), first.name()));
    circle.forEach(ensemble -> circularities.putIfAbsent(ensemble, failure));
  }
}
