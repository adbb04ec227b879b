package io.nereid.engine.call;

import java.util.OptionalLong;

/** The models that a model may call. Thread-safe. */
@FunctionalInterface
public interface CalledModels {
  /**
   * Enters a model.
   *
   * @param version empty for the newest that is ready
   * @return entered; the caller leaves it
   * @throws io.nereid.error.InferenceException if it may not be called, or does not serve
   */
  CalledModel enter(String model, OptionalLong version);
}
