package io.nereid.server.model;

/** The state of one version of a model. */
sealed interface ModelState {
  /** The version is loading. */
  record Loading() implements ModelState {}

  /** The version accepts requests. */
  record Ready(LoadedModel model) implements ModelState {}

  /**
   * The version failed to load.
   *
   * @param reason the failure, as {@code Invalid argument: ...}
   */
  record Unavailable(String reason) implements ModelState {}
}
