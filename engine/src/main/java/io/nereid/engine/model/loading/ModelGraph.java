package io.nereid.engine.model.loading;

import io.nereid.engine.model.ModelId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The ensembles and the models that they are composed of. Steps name models; a name means the model
 * in the ensemble's own namespace or, if there is none, the only one in another. Immutable.
 */
public final class ModelGraph {
  private final Set<ModelId> models;
  private final List<PolledModel> ensembles;

  /**
   * @param models all models, ensembles included or not
   * @param ensembles several with one id count as one that is composed of the models of all
   */
  public ModelGraph(Collection<ModelId> models, Collection<PolledModel> ensembles) {
    this.models = new HashSet<>(models);
    this.ensembles = List.copyOf(ensembles);
    this.ensembles.forEach(ensemble -> this.models.add(ensemble.id()));
  }

  /** The models of an ensemble's steps that exist, each once. */
  public List<ModelId> composing(PolledModel ensemble) {
    return ensemble.composing().stream()
        .flatMap(name -> resolve(ensemble.id(), name).stream())
        .toList();
  }

  /** The model that a step of an ensemble names. */
  public Optional<ModelId> resolve(ModelId ensemble, String name) {
    var own = new ModelId(ensemble.namespace(), name);
    if (models.contains(own)) {
      return Optional.of(own);
    }
    List<ModelId> others = models.stream().filter(id -> id.name().equals(name)).toList();
    return others.size() == 1 ? Optional.of(others.getFirst()) : Optional.empty();
  }

  /** The order in which the ensembles load. */
  public EnsembleOrder order() {
    return new EnsembleOrder(composing());
  }

  private Map<ModelId, Set<ModelId>> composing() {
    Map<ModelId, Set<ModelId>> composing = new TreeMap<>();
    for (PolledModel ensemble : ensembles) {
      composing
          .computeIfAbsent(ensemble.id(), _ -> new LinkedHashSet<>())
          .addAll(composing(ensemble));
    }
    return composing;
  }

  /** The ensembles that use one of these models, directly or through others. */
  public Set<ModelId> dependents(Collection<ModelId> used) {
    Set<ModelId> dependents = new LinkedHashSet<>();
    Map<ModelId, Set<ModelId>> composing = composing();
    for (ModelId id : order().ensembles()) { // each after those that it is composed of
      if (composing.getOrDefault(id, Set.of()).stream()
          .anyMatch(model -> used.contains(model) || dependents.contains(model))) {
        dependents.add(id);
      }
    }
    return dependents;
  }

  /**
   * The names that have to do with a name: of the ensembles that use it and of the models that they
   * are composed of, and so on. Namespaces are not told apart.
   */
  public static Set<String> related(String name, Collection<PolledModel> ensembles) {
    Map<String, Set<String>> neighbours = new HashMap<>();
    for (PolledModel ensemble : ensembles) {
      for (String composing : ensemble.composing()) {
        neighbours.computeIfAbsent(ensemble.name(), _ -> new TreeSet<>()).add(composing);
        neighbours.computeIfAbsent(composing, _ -> new TreeSet<>()).add(ensemble.name());
      }
    }
    Set<String> related = new TreeSet<>(Set.of(name));
    Deque<String> open = new ArrayDeque<>(related);
    while (!open.isEmpty()) {
      for (String next : neighbours.getOrDefault(open.remove(), Set.of())) {
        if (related.add(next)) {
          open.add(next);
        }
      }
    }
    return related;
  }
}
