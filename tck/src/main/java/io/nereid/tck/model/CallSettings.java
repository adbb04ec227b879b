package io.nereid.tck.model;

import io.nereid.tck.execution.StandInModel;
import java.time.Duration;
import java.util.Map;

/** How verifications call a backend, and what an implementer may say of that. */
public interface CallSettings {
  /** A minute for each call; a backend that can be opened again. */
  CallSettings DEFAULT = new CallSettings() {};

  /**
   * How long one call may take. A longer one is a failure that names the method, and nothing more
   * is verified.
   */
  default Duration maxCall() {
    return Duration.ofMinutes(1);
  }

  /**
   * Whether the backend can be opened only once in a process. All verifications use one backend
   * then, which is not closed.
   */
  default boolean opensOnce() {
    return false;
  }

  /** What stands for the models that the model calls, by name; none by default. */
  default Map<String, StandInModel> calledModels() {
    return Map.of();
  }
}
