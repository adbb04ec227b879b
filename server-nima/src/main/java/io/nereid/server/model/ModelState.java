package io.nereid.server.model;

/** The state of one version of a model. */
public sealed interface ModelState {
  /** The state as the repository index spells it. */
  default String label() {
    return switch (this) {
      case Loading() -> "LOADING";
      case Ready(LoadedModel model) -> model.failure() == null ? "READY" : "UNAVAILABLE";
      case Unloading(LoadedModel _, String _) -> "UNLOADING";
      case Unavailable(String _) -> "UNAVAILABLE";
    };
  }

  /** The reason of a version that was unloaded. */
  String UNLOADED = "unloaded";

  /** The version is loading, and did not serve before. */
  record Loading() implements ModelState {}

  /**
   * The version accepts requests, unless an instance of it has failed: then it appears unavailable
   * with {@link LoadedModel#failure} as the reason, until it is loaded again or unloaded.
   */
  record Ready(LoadedModel model) implements ModelState {}

  /**
   * The version accepts no requests, and waits for those in flight.
   *
   * @param reason that of the state that follows
   */
  record Unloading(LoadedModel model, String reason) implements ModelState {}

  /**
   * The version failed to load, or was unloaded.
   *
   * @param reason {@link #UNLOADED}, or the failure, as {@code Invalid argument: ...}
   */
  record Unavailable(String reason) implements ModelState {
    /** Whether a client or the removal of its directory unloaded it. */
    boolean isUnloaded() {
      return reason.equals(UNLOADED);
    }
  }
}
