package io.nereid.engine.scheduling.ensemble;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;

/** A model version that an ensemble is composed of. May be used by any thread. */
public interface ComposingModel {
  ModelKey key();

  ModelConfig config();

  /** Whether its instances can execute requests. */
  boolean isHealthy();

  /** Whether its instances hold resources during an execution that other models may wait for. */
  boolean holdsResources();

  /** Keeps the model open until {@link #leave}; false if it is about to close. */
  boolean enter();

  /** Undoes one {@link #enter}. */
  void leave();
}
