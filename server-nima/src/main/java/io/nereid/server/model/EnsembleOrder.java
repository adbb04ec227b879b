package io.nereid.server.model;

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

/** In which order ensembles load: each behind the ensembles that it is composed of. A value. */
final class EnsembleOrder {
  private final Map<String, Collection<String>> composing;
  private final Set<String> order = new LinkedHashSet<>();
  private final Map<String, InferenceException> circles = new HashMap<>();

  /**
   * @param composing by ensemble: the models of its steps
   */
  EnsembleOrder(Map<String, ? extends Collection<String>> composing) {
    this.composing = new TreeMap<>(composing);
    for (String ensemble : this.composing.keySet()) {
      visit(ensemble, new ArrayDeque<>());
    }
  }

  /** All ensembles; those that are composed of each other in no particular order. */
  List<String> names() {
    return List.copyOf(order);
  }

  /**
   * Checks that an ensemble is not composed of itself, be it by way of others.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  void requireNoCircle(String ensemble) {
    InferenceException circle = circles.get(ensemble);
    if (circle != null) {
      throw circle;
    }
  }

  /**
   * @param path the ensembles on the way to this one, outermost first
   */
  private void visit(String ensemble, Deque<String> path) {
    if (path.contains(ensemble)) {
      List<String> circle = new ArrayList<>(path);
      note(circle.subList(circle.indexOf(ensemble), circle.size()));
    } else if (composing.containsKey(ensemble) && !order.contains(ensemble)) {
      path.addLast(ensemble);
      composing.getOrDefault(ensemble, List.of()).forEach(model -> visit(model, path));
      path.removeLast();
      order.add(ensemble);
    }
  }

  /** The circle is told from the ensemble whose name comes first, in Triton's words. */
  private void note(List<String> circle) {
    String first = Collections.min(circle);
    int before = Math.floorMod(circle.indexOf(first) - 1, circle.size());
    InferenceException refusal =
        InferenceException.invalid(
            "circular dependency between ensembles: %s -> ... -> %s -> %s"
                .formatted(first, circle.get(before), first));
    circle.forEach(ensemble -> circles.putIfAbsent(ensemble, refusal));
  }
}
