package io.nereid.engine.model.lint;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.loading.PolledModel;
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

  void error(FieldPath path, String format, Object... arguments) {
    findings.error(path, format.formatted(arguments));
  }

  /** The models that it calls: those of an ensemble's steps, in their order, or those named. */
  List<String> calls() {
    return config.map(PolledModel::calls).orElse(List.of());
  }
}
