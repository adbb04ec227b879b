package io.nereid.engine.model.loading;

import io.nereid.config.ModelConfig;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.OverrideDirectory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelParameter;
import io.nereid.spi.ModelFiles;
import java.util.List;
import java.util.Optional;

/**
 * A model as found in a repository, or as a client sent it.
 *
 * @param contents what was in the repository's directory when {@code config} was read; empty if
 *     there is none, and the client sent all files
 * @param config the result of {@link ModelConfigReader}
 */
public record PolledModel(
    ModelId id,
    ModelDirectory directory,
    Optional<DirectoryContents> contents,
    PolledConfig config,
    Origin origin) {
  /** Where configuration and files come from. */
  public sealed interface Origin {
    /** Both are the repository's. */
    record Repository() implements Origin {}

    /** A client sent the configuration; the files are the repository's. */
    record ConfigOverride() implements Origin {}

    /** A client sent the configuration and the files. */
    record FileOverride(OverrideDirectory files) implements Origin {}
  }

  public String name() {
    return id.name();
  }

  /** A version's files, as a backend reads them. */
  ModelFiles files(long version) {
    return directory.files(
        version,
        switch (origin) {
          case Origin.Repository _ -> ModelFiles.Trust.OPERATOR;
          case Origin.ConfigOverride _, Origin.FileOverride _ -> ModelFiles.Trust.CLIENT;
        });
  }

  public boolean isEnsemble() {
    return config.message().hasEnsembleScheduling();
  }

  /**
   * The versions to load, ascending, not empty.
   *
   * @throws InferenceException if the version policy leaves none
   */
  public List<Long> versions() {
    return VersionSelector.select(
        name(), config.message().getVersionPolicy(), directory.versions());
  }

  /**
   * The models that it calls, each once: those of an ensemble's steps, or those that the parameter
   * {@code calls} of another model names.
   */
  public List<String> calls() {
    return calls(config.message());
  }

  /** The models that a model of that configuration calls, each once. */
  public static List<String> calls(io.nereid.protocol.config.ModelConfig config) {
    if (config.hasEnsembleScheduling()) {
      return config.getEnsembleScheduling().getStepList().stream()
          .map(step -> step.getModelName())
          .distinct()
          .toList();
    }
    ModelParameter named = config.getParametersMap().get(ModelConfig.CALLS);
    return named == null ? List.of() : ModelConfig.calls(named.getStringValue());
  }

  /** Whether it is an ensemble, or another model that calls others. */
  public boolean isCaller() {
    return !calls().isEmpty();
  }
}
