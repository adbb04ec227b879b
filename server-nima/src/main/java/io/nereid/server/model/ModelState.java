package io.nereid.server.model;

/** What has become of one version of a model. */
sealed interface ModelState {
  /** It is being loaded. */
  record Loading() implements ModelState {}

  /** It serves. */
  record Ready(LoadedModel model) implements ModelState {}

  /**
   * It does not serve.
   *
   * @param reason why, in the form {@code Invalid argument: ...}
   */
  record Unavailable(String reason) implements ModelState {}
}
