package io.nereid.engine.model;

import io.nereid.engine.scheduling.Scheduler;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The versions of all models and their states: an immutable map in a volatile, which any thread
 * reads and only {@code model.control} replaces. A change of several models is one replacement.
 */
public final class ModelRegistry {
  private static final System.Logger LOG = System.getLogger(ModelRegistry.class.getName());

  /**
   * All models at one time.
   *
   * @param byName those known to requests whose name no other namespace has, unless it was unloaded
   *     there
   * @param ambiguous how many of those have the same name and were not unloaded, by the name
   */
  private record Snapshot(
      Map<ModelId, ModelEntry> models,
      Map<String, ModelEntry> byName,
      Map<String, Integer> ambiguous) {
    static Snapshot of(Map<ModelId, ModelEntry> models) {
      Map<String, ModelEntry> byName = new HashMap<>();
      Map<String, Integer> counts = new HashMap<>();
      models.forEach((id, entry) -> {
        if (!entry.isKnown()) {
          return;
        }
        if (entry.isUnloaded()) {
          byName.putIfAbsent(id.name(), entry);
        } else {
          byName.put(id.name(), entry);
          counts.merge(id.name(), 1, Integer::sum);
        }
      });
      counts.values().removeIf(count -> count == 1);
      byName.keySet().removeAll(counts.keySet());
      return new Snapshot(Map.copyOf(models), Map.copyOf(byName), Map.copyOf(counts));
    }
  }

  /** Not the reason, which may have more than a client of inference is to know. */
  private static final String HAS_FAILED =
      ": it has failed to load, and the index of the repository says why";

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  private volatile Snapshot snapshot = Snapshot.of(Map.of());

  /** Whether the loads of the start have ended; guarded by this. */
  private boolean started;

  /** Whether all models have served at one time since then. */
  private volatile boolean complete;

  private final CallableModels callable = new CallableModels(this::snapshot);

  /**
   * The version that a request asks for.
   *
   * @param version empty for the newest ready one
   * @throws InferenceException NOT_FOUND or UNAVAILABLE; INVALID_ARGUMENT if several namespaces
   *     have a model of that name
   */
  public LoadedModel find(String name, OptionalLong version) {
    ModelEntry entry = entry(name);
    if (entry == null) {
      throw InferenceException.notFound(
          "Request for unknown model: '%s' is not found".formatted(name));
    }
    if (version.isEmpty()) {
      InferenceException failure = null;
      for (ModelState state : entry.versions().descendingMap().values()) {
        if (state instanceof ModelState.Ready(LoadedModel model)) {
          if (model.failure() == null) {
            return model;
          }
          failure = failure == null ? model.failure() : failure;
        }
      }
      if (failure != null) {
        throw failure;
      }
      throw InferenceException.notFound(
          "Request for unknown model: '%s' has no available versions%s"
              .formatted(name, entry.hasFailed() ? HAS_FAILED : ""));
    }
    ModelState state = entry.versions().get(version.getAsLong());
    return switch (state) {
      case null ->
          throw InferenceException.notFound(
              "Request for unknown model: '%s' version %d is not found"
                  .formatted(name, version.getAsLong()));
      case ModelState.Ready(LoadedModel model) -> serving(model);
      case ModelState.Loading(),
          ModelState.Unloading(LoadedModel _, String _),
          ModelState.Unavailable(String _) ->
          throw Scheduler.notReady(name, version.getAsLong());
    };
  }

  /** The versions as models find them that call others. */
  public CallableModels callable() {
    return callable;
  }

  private static LoadedModel serving(LoadedModel model) {
    InferenceException failure = model.failure();
    if (failure != null) {
      throw failure;
    }
    return model;
  }

  private @Nullable ModelEntry entry(String name) {
    Snapshot now = snapshot;
    ModelEntry entry = now.byName().get(name);
    Integer count = entry == null ? now.ambiguous().get(name) : null;
    if (count != null) {
      throw InferenceException.invalid(
          ("There are %d identifiers of model '%s' in global map, model namespace must be provided"
                  + " to resolve ambiguity.")
              .formatted(count, name));
    }
    return entry;
  }

  /** Whether the version, or the newest ready one if empty, is ready and healthy. */
  public boolean isReady(String name, OptionalLong version) {
    try {
      return find(name, version).isHealthy();
    } catch (InferenceException notReady) {
      return false;
    }
  }

  /** The ready versions, ascending. */
  public List<Long> readyVersions(String name) {
    ModelEntry entry = entry(name);
    return entry == null
        ? List.of()
        : entry.serving().stream().map(model -> model.key().version()).toList();
  }

  /** All ready versions, sorted by name and version. */
  public List<LoadedModel> ready() {
    return sorted().flatMap(entry -> entry.serving().stream()).toList();
  }

  /**
   * All versions that are ready, or unload after their last request, sorted as those; each with its
   * parts.
   */
  public List<LoadedModel> measured() {
    return sorted()
        .flatMap(entry -> entry.versions().values().stream())
        .flatMap(state -> Stream.ofNullable(state.model()))
        .flatMap(model -> Stream.concat(Stream.of(model), model.parts().stream()))
        .toList();
  }

  private Stream<ModelEntry> sorted() {
    return new TreeMap<>(snapshot.models()).values().stream();
  }

  /**
   * The ready versions of a model, which have statistics.
   *
   * @param version empty for all, ascending
   * @throws InferenceException INVALID_ARGUMENT if none is ready
   */
  public List<LoadedModel> ready(String name, OptionalLong version) {
    ModelEntry entry = entry(name);
    List<LoadedModel> ready = entry == null ? List.of() : entry.serving();
    if (ready.isEmpty()) {
      throw InferenceException.invalid("requested model '%s' is not available".formatted(name));
    }
    if (version.isEmpty()) {
      return ready;
    }
    return ready.stream()
        .filter(model -> model.key().version() == version.getAsLong())
        .findFirst()
        .map(List::of)
        .orElseThrow(() ->
            InferenceException.invalid(
                "requested model version is not available for model '%s'".formatted(name)));
  }

  /**
   * Why models keep the server from being ready: one of them, as clients may know it. Empty if none
   * does.
   */
  public Optional<String> obstacle(Readiness readiness) {
    if (readiness == Readiness.ACCEPTING) {
      return Optional.empty();
    }
    boolean withLoads = readiness == Readiness.EVERY_MODEL || !complete;
    return snapshot.models().entrySet().stream()
        .flatMap(model ->
            model.getValue().obstacle(withLoads).map(why -> describe(model.getKey(), why)).stream())
        .findFirst();
  }

  /** Why a model does not serve, as clients may know it. */
  public static String describe(ModelId model, String obstacle) {
    return "model '%s' %s".formatted(model.name(), ClientText.of(model.name(), obstacle));
  }

  /** States that the loads of the start have ended. Called by the model manager only. */
  public synchronized void started() {
    started = true;
    complete = snapshot.models().values().stream().allMatch(ModelEntry::isComplete);
  }

  /** All models. */
  public Map<ModelId, ModelEntry> snapshot() {
    return snapshot.models();
  }

  /** The entry of a model; empty if nothing is known of it. */
  public ModelEntry entry(ModelId id) {
    return snapshot.models().getOrDefault(id, ModelEntry.EMPTY);
  }

  /**
   * Replaces the entries of models, all at once, and tells the listeners. Called by the model
   * manager only.
   *
   * @param changes by model, from the present entry to the next
   */
  public void update(Map<ModelId, UnaryOperator<ModelEntry>> changes) {
    replace(changes);
    for (Runnable listener : listeners) {
      try {
        listener.run();
      } catch (RuntimeException | Error failed) {
        LOG.log(Level.WARNING, "a listener to changes of models has failed", failed);
      }
    }
  }

  /** Adds a listener, which each change calls on its own thread, once it can be read here. */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  /** Removes a listener. A change of another thread may still call it. */
  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  private synchronized void replace(Map<ModelId, UnaryOperator<ModelEntry>> changes) {
    Map<ModelId, ModelEntry> before = snapshot.models();
    Map<ModelId, ModelEntry> changed = new HashMap<>(before);
    changes.forEach(
        (id, change) -> changed.put(id, change.apply(changed.getOrDefault(id, ModelEntry.EMPTY))));
    snapshot = Snapshot.of(changed);
    if (started && !complete) {
      complete = snapshot.models().values().stream().allMatch(ModelEntry::isComplete);
    }
    for (ModelId id : changes.keySet()) {
      recordStates(id, before.getOrDefault(id, ModelEntry.EMPTY), entry(id));
    }
  }

  private static void recordStates(ModelId id, ModelEntry before, ModelEntry after) {
    after
        .versions()
        .forEach((version, state) -> {
          ModelState old = before.versions().get(version);
          String from = old == null ? "" : old.label();
          String to = state.label();
          if (!from.equals(to)) {
            FlightEvents.modelState(new ModelKey(id.name(), version), from, to, state.reason());
          }
        });
  }

  /** Replaces the entry of one model; see {@link #update(Map)}. */
  public void update(ModelId id, UnaryOperator<ModelEntry> change) {
    update(Map.of(id, change));
  }
}
