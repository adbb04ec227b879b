package io.nereid.engine.model;

import io.nereid.engine.scheduling.Scheduler;
import io.nereid.error.InferenceException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The versions as models find them that call others: those of the registry, and while an operation
 * loads models that call each other, those that it will switch. Thread-safe.
 */
public final class CallableModels {
  private final Supplier<Map<ModelId, ModelEntry>> registered;

  /** Entries that are not switched yet, and that callers find while they load; mostly empty. */
  private final Map<ModelId, ModelEntry> staged = new ConcurrentHashMap<>();

  CallableModels(Supplier<Map<ModelId, ModelEntry>> registered) {
    this.registered = registered;
  }

  /**
   * The version that a model calls, entered: the newest that serves, or the one that was asked for.
   * A version that unloads serves those that call it, which close before.
   *
   * @param caller in whose namespace the name is looked for first
   * @param version empty for the newest
   * @throws InferenceException NOT_FOUND if there is none, UNAVAILABLE if none is ready
   */
  public LoadedModel enter(ModelId caller, String name, OptionalLong version) {
    ModelEntry entry = calledEntry(caller, name);
    InferenceException failure = null;
    for (ModelState state : entry.versions().descendingMap().values()) {
      LoadedModel model = state.model();
      if (model == null || version.orElse(model.key().version()) != model.key().version()) {
        continue;
      }
      if (model.failure() != null) {
        failure = model.failure();
      } else if (model.enter()) {
        return model;
      }
    }
    if (failure != null) {
      throw failure;
    }
    throw version.isPresent()
        ? Scheduler.notReady(name, version.getAsLong())
        : InferenceException.unavailable("model '%s' has no version that is ready".formatted(name));
  }

  /** Whether a model that another calls serves and is healthy; as of {@link #enter}. */
  public boolean isHealthy(ModelId caller, String name) {
    try {
      return calledEntry(caller, name).newestReady().map(LoadedModel::isHealthy).orElse(false);
    } catch (InferenceException missing) {
      return false;
    }
  }

  /** Lets callers find an entry that is switched later. Called by the model manager only. */
  public void stage(ModelId id, ModelEntry entry) {
    staged.put(id, entry);
  }

  /** Undoes {@link #stage}, once the entries are switched. */
  public void unstage(Collection<ModelId> ids) {
    staged.keySet().removeAll(ids);
  }

  private ModelEntry calledEntry(ModelId caller, String name) {
    Map<ModelId, ModelEntry> models = registered.get();
    var own = new ModelId(caller.namespace(), name);
    ModelEntry entry = staged.get(own);
    entry = entry == null ? models.get(own) : entry;
    if (entry != null) {
      return entry;
    }
    Map<ModelId, ModelEntry> all = new HashMap<>(models);
    all.putAll(staged);
    List<ModelEntry> others =
        all.entrySet().stream()
            .filter(other -> other.getKey().name().equals(name))
            .map(Map.Entry::getValue)
            .toList();
    if (others.size() != 1) {
      throw InferenceException.notFound(
          "there is %s model '%s'".formatted(others.isEmpty() ? "no" : "more than one", name));
    }
    return others.getFirst();
  }
}
