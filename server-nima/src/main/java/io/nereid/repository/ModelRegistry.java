package io.nereid.repository;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which versions of which models there are, and what has become of them. Read from any thread: an
 * immutable map in a volatile; written by the {@link RepositoryConductor} alone.
 */
public final class ModelRegistry {
  /** Versions ascending; a model that failed before it had any version has none, but a reason. */
  record Entry(NavigableMap<Long, ModelState> versions, String reason) {}

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
    List<Long> ready = new ArrayList<>();
    if (entry != null) {
      entry
          .versions()
          .forEach((version, state) -> {
            if (state instanceof ModelState.Ready) {
              ready.add(version);
            }
          });
    }
    return ready;
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
