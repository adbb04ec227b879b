package io.nereid.server.scheduling.ensemble;

import java.util.OptionalLong;

/** Where an ensemble finds the models that it is composed of. From any thread. */
@FunctionalInterface
public interface ComposingModels {
  /**
   * The version that serves a step.
   *
   * @param version empty for the newest that is ready
   * @throws io.nereid.error.InferenceException NOT_FOUND or UNAVAILABLE
   */
  ComposingModel find(String name, OptionalLong version);
}
