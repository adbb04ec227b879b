package io.nereid.server.model;

import io.nereid.server.model.config.ModelConfigReader;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.protobuf.ModelConfig;
import java.util.List;

/**
 * A model as found in a repository.
 *
 * @param config the result of {@link ModelConfigReader}
 * @param versions the versions to load, ascending, not empty
 */
record PolledModel(ModelDirectory directory, ModelConfig config, List<Long> versions) {
  PolledModel {
    versions = List.copyOf(versions);
  }

  String name() {
    return directory.name();
  }

  boolean isEnsemble() {
    return config.hasEnsembleScheduling();
  }

  /** The models that an ensemble is composed of, each once. */
  List<String> composing() {
    return config.getEnsembleScheduling().getStepList().stream()
        .map(step -> step.getModelName())
        .distinct()
        .toList();
  }
}
