package io.nereid.server.model;

import io.nereid.error.InferenceException;
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
 * Which versions of which models there are, and what has become of them. Read from any thread: an
 * immutable map in a volatile; written by the {@link ModelManager} alone.
 */
public final class ModelRegistry {
  /** Versions ascending; a model that failed before it had any version has none, but a reason. */
  record Entry(NavigableMap<Long, ModelState> versions, String reason) {
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
   * The version that serves a request.
   *
   * @param version empty for the newest that is ready
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
          throw InferenceException.unavailable(
              "Request for unknown model: '%s' version %d is not at ready state"
                  .formatted(name, version.getAsLong()));
    };
  }

  /** Whether that version, or any if none is given, is ready and healthy. */
  public boolean isReady(String name, OptionalLong version) {
    try {
      return find(name, version).isHealthy();
    } catch (InferenceException notReady) {
      return false;
    }
  }

  /** The versions that are ready, ascending. */
  public List<Long> readyVersions(String name) {
    Entry entry = models.get(name);
    return entry == null
        ? List.of()
        : entry.ready().stream().map(model -> model.key().version()).toList();
  }

  /** Every version that is ready, by name and then by version. */
  public List<LoadedModel> ready() {
    List<LoadedModel> ready = new ArrayList<>();
    for (Entry entry : new TreeMap<>(models).values()) {
      ready.addAll(entry.ready());
    }
    return ready;
  }

  /**
   * The versions of a model that are ready, ascending, or the one asked for: those that have
   * statistics.
   *
   * @throws InferenceException INVALID_ARGUMENT if there is none
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
    for (LoadedModel model : ready) {
      if (model.key().version() == version.getAsLong()) {
        return List.of(model);
      }
    }
    throw InferenceException.invalid(
        "requested model version is not available for model '%s'".formatted(name));
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

  /** All models, for the conductor. */
  Map<String, Entry> snapshot() {
    return models;
  }

  /** Replaces what is known of a model. By the conductor. */
  void put(String name, @Nullable Entry entry) {
    Map<String, Entry> changed = new HashMap<>(models);
    if (entry == null) {
      changed.remove(name);
    } else {
      changed.put(name, entry);
    }
    models = Map.copyOf(changed);
  }

  static NavigableMap<Long, ModelState> versions(Map<Long, ModelState> states) {
    return Collections.unmodifiableNavigableMap(new TreeMap<>(states));
  }
}
