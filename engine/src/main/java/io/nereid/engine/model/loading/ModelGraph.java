package io.nereid.engine.model.loading;

import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.text.Names;
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
 * The models that call others, ensembles among them, and the models that they call by their names;
 * a name means the model in the caller's own namespace or, if there is none, the only one in
 * another. Immutable.
 */
public final class ModelGraph {
  private final Set<ModelId> models;
  private final List<PolledModel> callers;

  /**
   * @param models all models, callers included or not
   * @param callers several with one id count as one that calls the models of all
   */
  public ModelGraph(Collection<ModelId> models, Collection<PolledModel> callers) {
    this.models = new HashSet<>(models);
    this.callers = List.copyOf(callers);
    this.callers.forEach(caller -> this.models.add(caller.id()));
  }

  /** The models that a model calls and that exist, each once. */
  public List<ModelId> called(PolledModel caller) {
    return caller.calls().stream().flatMap(name -> resolve(caller.id(), name).stream()).toList();
  }

  /** The model that another calls by its name. */
  public Optional<ModelId> resolve(ModelId caller, String name) {
    var own = new ModelId(caller.namespace(), name);
    if (models.contains(own)) {
      return Optional.of(own);
    }
    List<ModelId> others = models.stream().filter(id -> id.name().equals(name)).toList();
    return others.size() == 1 ? Optional.of(others.getFirst()) : Optional.empty();
  }

  /** How a sentence on a name ends that is no model's: by the nearest that is; maybe empty. */
  public String nearest(String name) {
    return Names.question(name, models.stream().map(ModelId::name).sorted().distinct().toList());
  }

  /** The order in which the callers load. */
  public CallOrder order() {
    return new CallOrder(
        called(), callers.stream().filter(PolledModel::isEnsemble).map(PolledModel::id).toList());
  }

  private Map<ModelId, Set<ModelId>> called() {
    Map<ModelId, Set<ModelId>> called = new TreeMap<>();
    for (PolledModel caller : callers) {
      called.computeIfAbsent(caller.id(), _ -> new LinkedHashSet<>()).addAll(called(caller));
    }
    return called;
  }

  /** The models that call one of these, directly or through others. */
  public Set<ModelId> dependents(Collection<ModelId> used) {
    Set<ModelId> dependents = new LinkedHashSet<>();
    Map<ModelId, Set<ModelId>> called = called();
    for (ModelId id : order().callers()) { // each after those that it calls
      if (called.getOrDefault(id, Set.of()).stream()
          .anyMatch(model -> used.contains(model) || dependents.contains(model))) {
        dependents.add(id);
      }
    }
    return dependents;
  }

  /**
   * The names that have to do with a name: of the models that call it and of those that they call,
   * and so on. Namespaces are not told apart.
   */
  public static Set<String> related(String name, Collection<PolledModel> models) {
    Map<String, Set<String>> neighbours = new HashMap<>();
    for (PolledModel caller : models) {
      for (String called : caller.calls()) {
        neighbours.computeIfAbsent(caller.name(), _ -> new TreeSet<>()).add(called);
        neighbours.computeIfAbsent(called, _ -> new TreeSet<>()).add(caller.name());
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
