package io.nereid.engine.model.control.operation;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.loading.PolledModel;
import io.nereid.error.InferenceException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The loading of one model that is not an ensemble: all versions that are needed, concurrently, and
 * either all of them or none. Used by one thread.
 */
final class ModelLoad {
  /**
   * How a load ended.
   *
   * @param models all versions that the model now has; or if nothing has changed, those that were
   *     loaded and will not serve, to be closed: no request has entered
   * @param failure null if it has succeeded
   */
  record Outcome(Map<Long, LoadedModel> models, @Nullable LoadFailure failure) {}

  private static final System.Logger LOG = System.getLogger(ModelLoad.class.getName());

  private final LoadOperation.Loaders loaders;
  private final PolledModel polled;
  private final Optional<ClientKey> client;
  private final Map<Long, LoadedModel> kept = new TreeMap<>();
  private final Set<Long> versions = new TreeSet<>();
  private final Map<Long, CompletableFuture<LoadedModel>> loading = new TreeMap<>();

  /** The versions whose loads have not returned in time; from any thread. */
  private final Set<Long> late = ConcurrentHashMap.newKeySet();

  private ModelLoad(LoadOperation.Loaders loaders, PolledModel polled, Optional<ClientKey> client) {
    this.loaders = loaders;
    this.polled = polled;
    this.client = client;
  }

  /**
   * Plans which versions load, and which stay as they are.
   *
   * @param client that asks for it; empty if none does
   * @throws InferenceException if the version policy leaves none
   */
  static ModelLoad of(
      LoadOperation.Loaders loaders,
      PolledModel polled,
      ModelChange change,
      Optional<ClientKey> client) {
    var load = new ModelLoad(loaders, polled, client);
    ModelEntry serving = loaders.registry().entry(polled.id());
    for (long version : polled.versions()) {
      Optional<LoadedModel> unmodified =
          change instanceof ModelChange.Update(Set<Long> modified) && !modified.contains(version)
              ? serving
                  .ready(version)
                  .filter(model -> model.parts().isEmpty()) // have instances too
              : Optional.empty();
      unmodified.ifPresentOrElse(
          model -> load.kept.put(version, model), () -> load.versions.add(version));
    }
    return load;
  }

  ModelId id() {
    return polled.id();
  }

  PolledModel polled() {
    return polled;
  }

  Set<Long> versions() {
    return versions;
  }

  void start() {
    versions.forEach(this::submit);
  }

  private void submit(long version) {
    loading.put(
        version,
        loaders
            .threads()
            .submit(
                client,
                isLate ->
                    loaders
                        .telemetry()
                        .load(
                            polled, version, () -> loaders.models().load(polled, version), isLate),
                () -> late(version),
                loaders.telemetry()::returnedLate));
  }

  /** Waits until all versions are loaded and their instances are as configured. */
  Outcome finish() {
    Map<Long, LoadedModel> loaded = new TreeMap<>();
    Map<Long, InferenceException> failures = new TreeMap<>();
    loading.forEach((version, future) -> await(version, future, loaded, failures));
    boolean unchanged = isUnchanged();
    if (failures.isEmpty() && unchanged) {
      failures.putAll(updateInstances());
      if (failures.isEmpty()) {
        loaded.putAll(kept);
        return new Outcome(loaded, null);
      }
    }
    return new Outcome(
        loaded, unchanged ? LoadFailure.of(failures) : LoadFailure.changedFiles(polled.name()));
  }

  private boolean isUnchanged() {
    try {
      return loaders.scan().isUnchanged(polled);
    } catch (InferenceException unreadable) {
      LOG.log(Level.DEBUG, "model ''{0}'': {1}", polled.name(), unreadable.getMessage());
      return false;
    }
  }

  private void await(
      long version,
      CompletableFuture<LoadedModel> future,
      Map<Long, LoadedModel> loaded,
      Map<Long, InferenceException> failures) {
    try {
      loaded.put(version, future.join());
    } catch (CompletionException failed) {
      Throwable cause = Objects.requireNonNullElse(failed.getCause(), failed);
      if (late.contains(version)) {
        loaders.telemetry().late(polled.id(), version, cause);
      }
      failures.put(version, LoadFailure.known(cause));
    }
  }

  /**
   * Gives all kept versions their instances, or none; returns the reason by version if it fails.
   */
  private Map<Long, InferenceException> updateInstances() {
    Map<LoadedModel, ModelConfiguration> before = new HashMap<>();
    for (LoadedModel model : kept.values()) {
      long version = model.key().version();
      Map<Long, LoadedModel> updated = new TreeMap<>();
      Map<Long, InferenceException> failures = new TreeMap<>();
      ModelConfiguration present = model.configuration();
      await(
          version,
          loaders
              .threads()
              .submit(
                  client,
                  isLate -> {
                    loaders.telemetry().update(polled.id(), model, () -> inTime(version, isLate));
                    return model;
                  },
                  () -> late(version),
                  _ -> {}),
          updated,
          failures);
      if (!failures.isEmpty()) {
        before.forEach(this::restore);
        return failures;
      }
      before.put(model, present);
    }
    return Map.of();
  }

  private InferenceException late(long version) {
    late.add(version);
    return loaders.models().late(polled, version, loaders.threads().limitText(client));
  }

  /** The configuration; a version that was late keeps its instances. */
  private ModelConfiguration inTime(long version, BooleanSupplier isLate) {
    ModelConfiguration configuration = loaders.models().configuration(polled, version);
    if (isLate.getAsBoolean()) {
      throw loaders.models().late(polled, version, loaders.threads().limitText(client));
    }
    return configuration;
  }

  private void restore(LoadedModel model, ModelConfiguration configuration) {
    try {
      loaders.telemetry().update(polled.id(), model, () -> configuration);
    } catch (RuntimeException failed) { // it serves with the instances that it has
      LOG.log(Level.WARNING, "the instances of '" + model.key() + "' cannot be restored", failed);
    }
  }
}
