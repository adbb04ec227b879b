package io.nereid.engine.model.control;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A row of the repository index: a version of a model, or a model without known versions.
 *
 * @param version empty for a model that was never loaded, or is in two repositories
 * @param state empty for a model that was never loaded
 * @param reason why the version is unavailable, else empty
 */
public record ModelIndexEntry(
    String name, OptionalLong version, Optional<State> state, String reason) {
  /** The states of a version, as the index spells them. */
  public enum State {
    LOADING,
    READY,
    UNLOADING,
    UNAVAILABLE
  }
}
