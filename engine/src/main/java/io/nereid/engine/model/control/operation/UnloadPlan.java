package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelState;
import io.nereid.engine.model.loading.ModelGraph;
import io.nereid.engine.model.loading.PolledModel;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Which models stop serving when some are unloaded. A value.
 *
 * @param unwanted are not to serve any more
 * @param forcedDown the models that call them; they serve again once their models do
 * @param callers those of both that call others, outermost first
 */
record UnloadPlan(Set<ModelId> unwanted, Set<ModelId> forcedDown, List<ModelId> callers) {
  /**
   * Plans to unload models.
   *
   * @param managed the models that are to serve
   * @param withComposing whether to unload also the models that were loaded for them only
   */
  static UnloadPlan of(
      Set<ModelId> models, Map<ModelId, ManagedModel> managed, boolean withComposing) {
    Set<ModelId> unwanted = new TreeSet<>(models);
    if (withComposing) {
      addUnused(unwanted, managed);
    }
    ModelGraph graph =
        graph(managed, model -> Optional.ofNullable(model.served()).stream().toList());
    Set<ModelId> forcedDown = new TreeSet<>(graph.dependents(unwanted));
    forcedDown.removeAll(unwanted);
    List<ModelId> callers =
        graph.order().callers().reversed().stream()
            .filter(id -> unwanted.contains(id) || forcedDown.contains(id))
            .toList();
    return new UnloadPlan(unwanted, forcedDown, callers);
  }

  /** Adds the models that were loaded for these only. */
  private static void addUnused(Set<ModelId> unwanted, Map<ModelId, ManagedModel> managed) {
    ModelGraph graph = graph(managed, ManagedModel::forms);
    boolean added = true;
    while (added) {
      Set<ModelId> unused = new HashSet<>();
      for (ModelId id : unwanted) {
        ManagedModel model = managed.get(id);
        if (model != null) {
          model.forms().forEach(form -> unused.addAll(graph.called(form)));
        }
      }
      unused.removeIf(id -> {
        ManagedModel model = managed.get(id);
        return model == null
            || model.explicit()
            || !unwanted.containsAll(graph.dependents(List.of(id)));
      });
      added = unwanted.addAll(unused);
    }
  }

  /** The graph of all models, with some forms of each. */
  private static ModelGraph graph(
      Map<ModelId, ManagedModel> managed, Function<ManagedModel, Collection<PolledModel>> forms) {
    return new ModelGraph(
        managed.keySet(),
        managed.values().stream()
            .flatMap(model -> forms.apply(model).stream())
            .filter(PolledModel::isCaller)
            .toList());
  }

  /** What becomes of the models' entries in the registry. */
  Map<ModelId, UnaryOperator<ModelEntry>> changes() {
    Map<ModelId, UnaryOperator<ModelEntry>> changes = new TreeMap<>();
    forcedDown.forEach(id -> changes.put(id, entry -> entry.unloading(ModelState.UNLOADED)));
    unwanted.forEach(id -> changes.put(id, ModelEntry::unloaded));
    return changes;
  }
}
