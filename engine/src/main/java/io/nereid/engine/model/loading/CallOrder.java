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
 * The order in which ensembles, and other models that call models, load: each after those of them
 * that it calls. Immutable.
 */
public final class CallOrder {
  private final Map<ModelId, Collection<ModelId>> calls;
  private final Set<ModelId> ensembles;
  private final Set<ModelId> order = new LinkedHashSet<>();
  private final Map<ModelId, InferenceException> circularities = new HashMap<>();

  /**
   * @param calls the models that each calls, by caller
   * @param ensembles those of the callers that are ensembles
   */
  public CallOrder(
      Map<ModelId, ? extends Collection<ModelId>> calls, Collection<ModelId> ensembles) {
    this.calls = new TreeMap<>(calls);
    this.ensembles = Set.copyOf(ensembles);
    for (ModelId caller : this.calls.keySet()) {
      visit(caller, new ArrayDeque<>());
    }
  }

  /** All callers; the order within a circular dependency is unspecified. */
  public List<ModelId> callers() {
    return List.copyOf(order);
  }

  /**
   * Checks that a model does not call itself, directly or through others.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  public void requireNotCircular(ModelId caller) {
    InferenceException failure = circularities.get(caller);
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * @param path the callers that lead to this one, outermost first
   */
  private void visit(ModelId caller, Deque<ModelId> path) {
    if (path.contains(caller)) {
      List<ModelId> circle = new ArrayList<>(path);
      recordCircle(circle.subList(circle.indexOf(caller), circle.size()));
    } else if (calls.containsKey(caller) && !order.contains(caller)) {
      path.addLast(caller);
      calls.getOrDefault(caller, List.of()).forEach(model -> visit(model, path));
      path.removeLast();
      order.add(caller);
    }
  }

  /**
   * Fails each model of the circle. Of ensembles, the message is Triton's; it begins with the first
   * name.
   */
  private void recordCircle(List<ModelId> circle) {
    ModelId first = Collections.min(circle);
    int before = Math.floorMod(circle.indexOf(first) - 1, circle.size());
    boolean isOfEnsembles = ensembles.containsAll(circle);
    InferenceException failure =
        InferenceException.invalid(
            circle.size() == 1 && !isOfEnsembles
                ? "model '%s' calls itself".formatted(first.name())
                : "circular dependency between %s: %s -> ... -> %s -> %s"
                    .formatted(
                        isOfEnsembles ? "ensembles" : "models",
                        first.name(),
                        circle.get(before).name(),
                        first.name()));
    circle.forEach(caller -> circularities.putIfAbsent(caller, failure));
  }
}
