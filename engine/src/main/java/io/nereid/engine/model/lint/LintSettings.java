package io.nereid.engine.model.lint;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.validation.ConfigLimits;
import java.util.Optional;

/**
 * How models would be loaded.
 *
 * @param bareModel the name of the model whose files the only path has, without a layout; empty if
 *     paths are of models or repositories
 * @param configName the preferred file of a model's {@code configs}
 * @param autoComplete whether backends complete configurations
 * @param limits of configurations
 * @param backends empty if no backend is to be opened
 */
public record LintSettings(
    Optional<String> bareModel,
    Optional<String> configName,
    boolean autoComplete,
    ConfigLimits limits,
    Optional<BackendCatalog> backends) {
  ModelConfigReader reader() {
    return new ModelConfigReader(configName, autoComplete);
  }

  ModelConfigCompletion completion() {
    return new ModelConfigCompletion(autoComplete, limits);
  }
}
