package io.nereid.engine.model.control.operation;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The changes that one load of related models makes: planned one after the other, then switched at
 * once. Used by one thread.
 */
final class SwitchPlan {
  private final ModelRegistry registry;
  private final Map<ModelId, UnaryOperator<ModelEntry>> changes = new LinkedHashMap<>();
  private final Map<ModelId, Optional<PolledModel>> switched = new LinkedHashMap<>();
  private final List<LoadedModel> replacedCallers = new ArrayList<>();
  private final List<LoadedModel> replacedModels = new ArrayList<>();

  /** The callers that fail because of the models that they call. */
  private final Map<ModelId, InferenceException> unavailable = new HashMap<>();

  /** The models whose ready versions are others than before. */
  private final Set<ModelId> changed = new HashSet<>();

  private final List<ModelId> served = new ArrayList<>();

  SwitchPlan(ModelRegistry registry) {
    this.registry = registry;
  }

  /** Plans a change of an entry, after those that are planned already. */
  void change(ModelId id, UnaryOperator<ModelEntry> next) {
    changes.merge(id, next, (first, second) -> entry -> second.apply(first.apply(entry)));
  }

  /**
   * Plans that exactly these versions serve.
   *
   * @param wasCaller whether what serves now calls other models
   */
  void serve(PolledModel polled, Map<Long, LoadedModel> models, boolean wasCaller) {
    ModelId id = polled.id();
    ModelEntry present = registry.entry(id);
    List<LoadedModel> before = present.ready();
    models.forEach((version, model) -> present.ready(version).ifPresent(model::continueMetrics));
    change(id, entry -> entry.serving(models));
    switched.put(id, Optional.of(polled));
    before.stream()
        .filter(model -> !models.containsValue(model))
        .forEach((wasCaller ? replacedCallers : replacedModels)::add);
    if (!List.copyOf(new TreeMap<>(models).values()).equals(before)) {
      changed.add(id);
    }
    served.add(id);
  }

  /** Plans that a caller has no versions until the models that it calls allow it. */
  void end(ModelId id, InferenceException failure) {
    ModelEntry entry = registry.entry(id);
    unavailable.put(id, failure);
    changed.add(id);
    switched.put(id, Optional.empty());
    replacedCallers.addAll(entry.ready());
    change(
        id,
        before ->
            before.isReady()
                ? before.unloading(failure.reason())
                : before.notLoaded(failure.reason()));
  }

  /** Plans that versions are closed which were loaded, and will not serve. */
  void close(Collection<LoadedModel> loaded) {
    replacedModels.addAll(loaded);
  }

  /** Notes why a caller does not serve. */
  void setUnavailable(ModelId id, InferenceException failure) {
    unavailable.put(id, failure);
  }

  /** Why a caller does not serve; null if it does, or is none. */
  @Nullable InferenceException unavailable(ModelId id) {
    return unavailable.get(id);
  }

  /** Whether the ready versions of a model are others than before. */
  boolean isChanged(ModelId id) {
    return changed.contains(id);
  }

  /** Whether a model serves anew, or does no more. */
  boolean isSwitched(ModelId id) {
    return switched.containsKey(id);
  }

  /** The entries of all models that were not unloaded, as they will be. */
  Map<ModelId, ModelEntry> present() {
    Map<ModelId, ModelEntry> present = new HashMap<>(registry.snapshot());
    changes.forEach(
        (id, change) -> present.put(id, change.apply(present.getOrDefault(id, ModelEntry.EMPTY))));
    present.values().removeIf(ModelEntry::isUnloaded);
    return present;
  }

  /** Makes all changes at once. */
  void switchAll() {
    registry.update(changes);
  }

  /** The models that serve as they were polled, or not at all if there is none. */
  Map<ModelId, Optional<PolledModel>> switched() {
    return switched;
  }

  /** The models that serve, and were loaded or changed. */
  List<ModelId> served() {
    return served;
  }

  /** What is to be closed first, outermost first. */
  List<LoadedModel> replacedCallers() {
    return replacedCallers.reversed();
  }

  /** What is to be closed after the callers. */
  List<LoadedModel> replacedModels() {
    return replacedModels;
  }
}
