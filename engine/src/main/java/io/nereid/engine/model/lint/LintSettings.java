package io.nereid.engine.model.lint;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import java.time.Duration;
import java.util.Optional;

/**
 * How models would be loaded.
 *
 * @param bareModel the name of the model whose files the only path has, without a layout; empty if
 *     paths are of models or repositories
 * @param backends empty if no backend is to be opened
 * @param loadLimit how long a load is waited for; one that takes longer is not judged
 */
public record LintSettings(
    Optional<String> bareModel,
    ConfigSettings configs,
    Optional<BackendCatalog> backends,
    Duration loadLimit) {
  public static final Duration LOAD_LIMIT = Duration.ofMinutes(5);

  /** With the usual limit. */
  public LintSettings(
      Optional<String> bareModel, ConfigSettings configs, Optional<BackendCatalog> backends) {
    this(bareModel, configs, backends, LOAD_LIMIT);
  }

  public ModelConfigReader reader() {
    return new ModelConfigReader(configs);
  }

  ModelConfigCompletion completion() {
    return new ModelConfigCompletion(configs);
  }
}
