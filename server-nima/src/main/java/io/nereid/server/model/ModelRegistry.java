package io.nereid.server.model;

import io.nereid.error.InferenceException;
import io.nereid.server.scheduling.Scheduler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The versions of all models and their states: an immutable map in a volatile, which any thread
 * reads and only the {@link ModelManager} replaces.
 */
public final class ModelRegistry {
  /**
   * The versions of one model.
   *
   * @param versions ascending; empty if the model failed before its versions were known
   * @param reason why it failed then, else empty
   */
  record Entry(NavigableMap<Long, ModelState> versions, String reason) {
    Entry(Map<Long, ModelState> states) {
      this(Collections.unmodifiableNavigableMap(new TreeMap<>(states)), "");
    }

    Entry(String reason) {
      this(Collections.emptyNavigableMap(), reason);
    }

    List<LoadedModel> ready() {
      List<LoadedModel> ready = new ArrayList<>();
      for (ModelState state : versions.values()) {
        if (state instanceof ModelState.Ready(LoadedModel model)) {
          ready.add(model);
        }
      }
      return ready;
    }

    Optional<LoadedModel> newestReady() {
      List<LoadedModel> ready = ready();
      return ready.isEmpty() ? Optional.empty() : Optional.of(ready.getLast());
    }

    Optional<LoadedModel> ready(long version) {
      return ready().stream().filter(model -> model.key().version() == version).findFirst();
    }
  }

  private volatile Map<String, Entry> models = Map.of();

  /**
   * The version that a request asks for.
   *
   * @param version empty for the newest ready one
   * @throws InferenceException NOT_FOUND or UNAVAILABLE
   */
  public LoadedModel find(String name, OptionalLong version) {
    Entry entry = models.get(name);
    if (entry == null) {
      throw InferenceException.notFound(
          "Request for unknown model: '%s' is not found".formatted(name));
    }
    if (version.isEmpty()) {
      for (ModelState state : entry.versions().descendingMap().values()) {
        if (state instanceof ModelState.Ready(LoadedModel model)) {
          return model;
        }
      }
      throw InferenceException.notFound(
          "Request for unknown model: '%s' has no available versions".formatted(name));
    }
    ModelState state = entry.versions().get(version.getAsLong());
    return switch (state) {
      case null ->
          throw InferenceException.notFound(
              "Request for unknown model: '%s' version %d is not found"
                  .formatted(name, version.getAsLong()));
      case ModelState.Ready(LoadedModel model) -> model;
      case ModelState.Loading(), ModelState.Unavailable(String _) ->
          throw Scheduler.notReady(name, version.getAsLong());
    };
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
    Entry entry = models.get(name);
    return entry == null
        ? List.of()
        : entry.ready().stream().map(model -> model.key().version()).toList();
  }

  /** All ready versions, sorted by name and version. */
  public List<LoadedModel> ready() {
    List<LoadedModel> ready = new ArrayList<>();
    for (Entry entry : new TreeMap<>(models).values()) {
      ready.addAll(entry.ready());
    }
    return ready;
  }

  /**
   * The ready versions of a model, which have statistics.
   *
   * @param version empty for all, ascending
   * @throws InferenceException INVALID_ARGUMENT if none is ready
   */
  public List<LoadedModel> ready(String name, OptionalLong version) {
    Entry entry = models.get(name);
    List<LoadedModel> ready = entry == null ? List.of() : entry.ready();
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

  /** Whether every version of every model is ready and healthy. */
  public boolean allReady() {
    for (Entry entry : models.values()) {
      if (entry.versions().isEmpty()) {
        return false;
      }
      for (ModelState state : entry.versions().values()) {
        if (!(state instanceof ModelState.Ready(LoadedModel model)) || !model.isHealthy()) {
          return false;
        }
      }
    }
    return true;
  }

  /** All models. */
  Map<String, Entry> snapshot() {
    return models;
  }

  /** Replaces the entry of a model; null removes it. Called by the model manager only. */
  void put(String name, @Nullable Entry entry) {
    Map<String, Entry> changed = new HashMap<>(models);
    if (entry == null) {
      changed.remove(name);
    } else {
      changed.put(name, entry);
    }
    models = Map.copyOf(changed);
  }
}
