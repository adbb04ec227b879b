package io.nereid.engine.model.lint;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import java.util.Optional;

/**
 * How models would be loaded.
 *
 * @param bareModel the name of the model whose files the only path has, without a layout; empty if
 *     paths are of models or repositories
 * @param backends empty if no backend is to be opened
 */
public record LintSettings(
    Optional<String> bareModel, ConfigSettings configs, Optional<BackendCatalog> backends) {
  public ModelConfigReader reader() {
    return new ModelConfigReader(configs);
  }

  ModelConfigCompletion completion() {
    return new ModelConfigCompletion(configs);
  }
}
