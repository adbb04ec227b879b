package io.nereid.engine.model.lint;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.protocol.config.ModelConfig;
import java.util.List;
import java.util.Optional;

/**
 * What lint knows of a model.
 *
 * @param config as far as it could be completed; empty if its file cannot be read
 * @param versions those that the version policy selects
 */
record LintedModel(
    ModelDirectory directory,
    ModelFindings findings,
    Optional<ModelConfig> config,
    List<Long> versions) {
  String name() {
    return directory.name();
  }

  boolean isEnsemble() {
    return config.map(ModelConfig::hasEnsembleScheduling).orElse(false);
  }

  /** The models that an ensemble is composed of, in the order of its steps. */
  List<String> composing() {
    return config
        .map(known ->
            known.getEnsembleScheduling().getStepList().stream()
                .map(step -> step.getModelName())
                .toList())
        .orElse(List.of());
  }
}
