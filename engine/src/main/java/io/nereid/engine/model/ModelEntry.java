package io.nereid.engine.model;

import io.nereid.engine.model.ModelState.Ready;
import io.nereid.engine.model.ModelState.Unavailable;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The versions of one model. A value.
 *
 * @param versions ascending; empty if the model failed before its versions were known
 * @param reason why no version serves if that is no single version's failure, else empty
 * @param loadBegan whether {@code reason} is of a load; not of a poll, or of an ensemble that lacks
 *     a model
 * @param hasServed whether a version has served since the model was unloaded last
 */
public record ModelEntry(
    NavigableMap<Long, ModelState> versions, String reason, boolean loadBegan, boolean hasServed) {
  public ModelEntry {
    versions = Collections.unmodifiableNavigableMap(new TreeMap<>(versions));
  }

  /** A model of which nothing is known. */
  public static final ModelEntry EMPTY =
      new ModelEntry(
          Collections.emptyNavigableMap(), "", /* loadBegan= */ false, /* hasServed= */ false);

  /** The ready versions, ascending. */
  public List<LoadedModel> ready() {
    return versions.keySet().stream().flatMap(version -> ready(version).stream()).toList();
  }

  public Optional<LoadedModel> newestReady() {
    return versions.descendingKeySet().stream()
        .flatMap(version -> ready(version).stream())
        .findFirst();
  }

  public Optional<LoadedModel> ready(long version) {
    return versions.get(version) instanceof Ready(LoadedModel model)
        ? Optional.of(model)
        : Optional.empty();
  }

  /** The ready versions that have not failed since, ascending. */
  List<LoadedModel> serving() {
    return ready().stream().filter(model -> model.failure() == null).toList();
  }

  /** Whether a ready version has failed, so that all are to be loaded again. */
  public boolean hasBrokenVersion() {
    return serving().size() < ready().size();
  }

  public boolean isReady() {
    return newestReady().isPresent();
  }

  /** Whether requests know the model: a load of it has begun, now or before. */
  boolean isKnown() {
    return loadBegan || !versions.isEmpty();
  }

  /**
   * Why the model keeps the server from being ready, as {@code version 1 is LOADING}; empty if it
   * does not. A model that could not be polled does not; one that has served and does not, though
   * it was not unloaded, does.
   *
   * @param everyVersion whether it does while a version loads, or has failed to
   */
  Optional<String> obstacle(boolean everyVersion) {
    boolean withLoads = everyVersion || (hasServed && !isReady());
    if (withLoads && loadBegan && !reason.isEmpty()) {
      return Optional.of("has failed to load: " + reason);
    }
    return versions.entrySet().stream()
        .filter(version -> withLoads || version.getValue() instanceof Ready)
        .flatMap(version -> obstacle(version.getKey(), version.getValue()).stream())
        .findFirst();
  }

  /**
   * Why a version does not serve that was not unloaded, as {@code version 1 is LOADING}. Asks the
   * backend for the health of one that is ready.
   */
  public static Optional<String> obstacle(long version, ModelState state) {
    boolean serves =
        state instanceof Ready(LoadedModel model) ? model.isHealthy() : state.isUnloaded();
    return serves
        ? Optional.empty()
        : Optional.of(
            "version %d is %s%s"
                .formatted(
                    version,
                    state instanceof Ready ? "not healthy" : state.label(),
                    state.reason().isEmpty() ? "" : ": " + state.reason()));
  }

  /** Whether each version that was not unloaded serves. Asks no backend for its health. */
  boolean isComplete() {
    return (reason.isEmpty() || !loadBegan)
        && versions.values().stream()
            .allMatch(state -> state instanceof Ready || state.isUnloaded());
  }

  /** Whether all that is known of the model is that it was unloaded. */
  public boolean isUnloaded() {
    return reason.isEmpty() && versions.values().stream().allMatch(ModelState::isUnloaded);
  }

  /** This entry while versions load: those that are not ready are loading. */
  public ModelEntry loading(Collection<Long> loading) {
    NavigableMap<Long, ModelState> changed = new TreeMap<>(versions);
    for (long version : loading) {
      if (ready(version).isEmpty()) {
        changed.put(version, new ModelState.Loading());
      }
    }
    return new ModelEntry(changed, "", /* loadBegan= */ true, hasServed);
  }

  /** Whether a load is why no version serves. */
  boolean hasFailed() {
    return !isReady() && loadBegan && (!reason.isEmpty() || hasFailedLoads());
  }

  public boolean hasFailedLoads() {
    return !withoutFailures().equals(this);
  }

  /** This entry without the versions that failed to load: the model has them no longer. */
  public ModelEntry withoutFailures() {
    NavigableMap<Long, ModelState> changed = new TreeMap<>(versions);
    changed.values().removeIf(state -> state instanceof Unavailable failed && !failed.isUnloaded());
    return new ModelEntry(changed, "", loadBegan, hasServed);
  }

  /** This entry once exactly these versions serve: other ready versions are unloading. */
  public ModelEntry serving(Map<Long, LoadedModel> models) {
    NavigableMap<Long, ModelState> changed =
        new TreeMap<>(withoutFailures().unloading(ModelState.UNLOADED).versions());
    models.forEach((version, model) -> changed.put(version, new Ready(model)));
    return new ModelEntry(changed, "", /* loadBegan= */ true, !models.isEmpty());
  }

  /**
   * This entry after a load has failed: ready versions stay ready.
   *
   * @param failures the reasons of single versions, if they are why it failed
   * @param failure the reason otherwise, else empty
   */
  public ModelEntry failed(Map<Long, String> failures, String failure) {
    String others = failures.isEmpty() ? failure : ModelState.UNLOADED;
    NavigableMap<Long, ModelState> changed = new TreeMap<>(versions);
    changed.replaceAll((version, state) ->
        state instanceof ModelState.Loading()
            ? new Unavailable(failures.getOrDefault(version, others))
            : state);
    return new ModelEntry(changed, isReady() ? "" : failure, /* loadBegan= */ true, hasServed);
  }

  /**
   * This entry if no load can begin: ready versions stay ready.
   *
   * @param failure the reason
   */
  public ModelEntry notLoaded(String failure) {
    return new ModelEntry(versions, isReady() ? "" : failure, /* loadBegan= */ false, hasServed);
  }

  /** This entry with all ready versions unloading. */
  public ModelEntry unloading(String unloadReason) {
    return mapped(state ->
        state instanceof Ready(LoadedModel model)
            ? new ModelState.Unloading(model, unloadReason)
            : state);
  }

  /** This entry once a client has unloaded the model: failures of earlier loads are forgotten. */
  public ModelEntry unloaded() {
    ModelEntry unloading =
        unloading(ModelState.UNLOADED)
            .mapped(state ->
                state instanceof Unavailable ? new Unavailable(ModelState.UNLOADED) : state);
    return new ModelEntry(unloading.versions(), "", loadBegan, /* hasServed= */ false);
  }

  /** This entry after a version has closed. */
  public ModelEntry closed(LoadedModel closed) {
    return mapped(state ->
        state instanceof ModelState.Unloading(LoadedModel model, String last)
                && model.equals(closed)
            ? new Unavailable(last)
            : state);
  }

  private ModelEntry mapped(UnaryOperator<ModelState> change) {
    NavigableMap<Long, ModelState> changed = new TreeMap<>(versions);
    changed.replaceAll((_, state) -> change.apply(state));
    return new ModelEntry(changed, reason, loadBegan, hasServed);
  }
}
