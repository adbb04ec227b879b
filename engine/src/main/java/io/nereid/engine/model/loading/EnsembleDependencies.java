package io.nereid.engine.model.loading;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.EnsembleSettings.Step;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelState;
import io.nereid.error.InferenceException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The composing models of an ensemble, which must be ready before it loads.
 *
 * @param models the states of all models except this ensemble
 * @param unavailable the ensembles that failed to load because of their composing models
 */
record EnsembleDependencies(
    String ensemble, Map<String, ModelEntry> models, Map<String, InferenceException> unavailable) {
  /**
   * The model of each step, in the order of the steps.
   *
   * @throws InferenceException INVALID_ARGUMENT, with Triton's message, if one is not ready
   */
  List<LoadedModel> require(EnsembleSettings settings) {
    requireAllExist(settings);
    return settings.steps().stream().map(this::require).toList();
  }

  private void requireAllExist(EnsembleSettings settings) {
    SortedSet<String> missing = new TreeSet<>();
    for (Step step : settings.steps()) {
      String name = step.modelName();
      ModelEntry entry = models.get(name);
      boolean polled = entry != null && !entry.versions().isEmpty();
      if (!polled && !unavailable.containsKey(name)) {
        missing.add(name);
      }
    }
    if (!missing.isEmpty()) {
      throw InferenceException.invalid(
          "ensemble %s contains models that are not available or ambiguous: %s"
              .formatted(ensemble, String.join(", ", missing)));
    }
  }

  private LoadedModel require(Step step) {
    String name = step.modelName();
    InferenceException failure = unavailable.get(name);
    ModelEntry entry = models.get(name);
    if (failure != null || entry == null) {
      throw dependsOn(
          name,
          "which is not valid. Model '%s' failed with error: %s"
              .formatted(name, failure == null ? "" : failure.getMessage()));
    }
    Optional<LoadedModel> newest = entry.newestReady();
    if (newest.isEmpty()) {
      throw dependsOn(
          name,
          "which has no loaded version. Model '%s' loading failed with error: %s"
              .formatted(name, loadFailure(entry)));
    }
    if (step.modelVersion().isEmpty()) {
      return newest.get();
    }
    long version = step.modelVersion().getAsLong();
    return entry
        .ready(version)
        .orElseThrow(
            () -> dependsOn(name, "whose required version %d is not loaded.".formatted(version)));
  }

  /** Which versions have failed, and why, as in the response to a request to load the model. */
  private static String loadFailure(ModelEntry entry) {
    var text = new StringBuilder();
    entry
        .versions()
        .forEach((version, state) -> {
          if (state instanceof ModelState.Unavailable(String reason)) {
            text.append("version %d is at UNAVAILABLE state: %s;".formatted(version, reason));
          }
        });
    return text.toString();
  }

  private InferenceException dependsOn(String model, String problem) {
    return InferenceException.invalid(
        "ensemble '%s' depends on '%s' %s".formatted(ensemble, model, problem));
  }
}
