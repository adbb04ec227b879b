package io.nereid.server.model;

import io.nereid.error.InferenceException;
import io.nereid.server.model.config.ModelConfigReader;
import io.nereid.server.model.config.ModelDirectory;
import io.nereid.server.model.repository.DirectoryContents;
import io.nereid.server.model.repository.OverrideDirectory;
import io.nereid.server.protobuf.ModelConfig;
import java.util.List;
import java.util.Optional;

/**
 * A model as found in a repository, or as a client sent it.
 *
 * @param contents what was in the repository's directory when {@code config} was read; empty if
 *     there is none, and the client sent all files
 * @param config the result of {@link ModelConfigReader}
 */
record PolledModel(
    ModelId id,
    ModelDirectory directory,
    Optional<DirectoryContents> contents,
    ModelConfig config,
    Origin origin) {
  /** Where configuration and files come from. */
  sealed interface Origin {
    /** Both are the repository's. */
    record Repository() implements Origin {}

    /** A client sent the configuration; the files are the repository's. */
    record ConfigOverride() implements Origin {}

    /** A client sent the configuration and the files. */
    record FileOverride(OverrideDirectory files) implements Origin {}
  }

  String name() {
    return id.name();
  }

  boolean isEnsemble() {
    return config.hasEnsembleScheduling();
  }

  /**
   * The versions to load, ascending, not empty.
   *
   * @throws InferenceException if the version policy leaves none
   */
  List<Long> versions() {
    return VersionSelector.select(name(), config.getVersionPolicy(), directory.versions());
  }

  /** The models that an ensemble is composed of, each once. */
  List<String> composing() {
    return config.getEnsembleScheduling().getStepList().stream()
        .map(step -> step.getModelName())
        .distinct()
        .toList();
  }
}
