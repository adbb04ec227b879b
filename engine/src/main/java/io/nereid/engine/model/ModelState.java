package io.nereid.engine.model;

import io.nereid.error.InferenceException;
import org.jspecify.annotations.Nullable;

/** The state of one version of a model. */
public sealed interface ModelState {
  /** The reason of a version that was unloaded. */
  String UNLOADED = "unloaded";

  /** The state as the repository index spells it. */
  String label();

  /**
   * Why the version is unavailable, as the repository index tells it; of a version that is ready,
   * which execution is overdue or what the backend has left out, mostly nothing.
   */
  default String reason() {
    return "";
  }

  /** The version while it is loaded; null before and behind that. */
  default @Nullable LoadedModel model() {
    return null;
  }

  /** Whether a client or the removal of its directory has unloaded the version, or is about to. */
  default boolean isUnloaded() {
    return false;
  }

  /** The version is loading, and did not serve before. */
  record Loading() implements ModelState {
    @Override
    public String label() {
      return "LOADING";
    }
  }

  /**
   * The version accepts requests, unless an instance of it has failed: then it appears unavailable
   * with {@link LoadedModel#failure} as the reason, until it is loaded again or unloaded.
   */
  record Ready(LoadedModel model) implements ModelState {
    @Override
    public String label() {
      return model.failure() == null ? "READY" : "UNAVAILABLE";
    }

    @Override
    public String reason() {
      InferenceException failure = model.failure();
      return failure == null ? model.warning() : failure.reason();
    }
  }

  /**
   * The version accepts no requests, and waits for those in flight.
   *
   * @param lastReason that of the state that follows
   */
  record Unloading(LoadedModel model, String lastReason) implements ModelState {
    @Override
    public String label() {
      return "UNLOADING";
    }

    @Override
    public boolean isUnloaded() {
      return lastReason.equals(UNLOADED);
    }
  }

  /**
   * The version failed to load, or was unloaded.
   *
   * @param reason {@link #UNLOADED}, or the failure, as {@code Invalid argument: ...}
   */
  record Unavailable(String reason) implements ModelState {
    @Override
    public String label() {
      return "UNAVAILABLE";
    }

    @Override
    public boolean isUnloaded() {
      return reason.equals(UNLOADED);
    }
  }
}
