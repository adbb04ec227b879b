package io.nereid.server.scheduling.ensemble;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.request.PendingRequest;

/** A model version that an ensemble is composed of, as its steps use it. From any thread. */
public interface ComposingModel {
  ModelKey key();

  ModelConfig config();

  /** Whether its instances can work. */
  boolean isHealthy();

  /** Whether it holds, while it runs, what other models may wait for. */
  boolean holdsResources();

  /** Keeps the model open until {@link #leave}; false if it is about to close. */
  boolean enter();

  /** Undoes one {@link #enter}. */
  void leave();

  /**
   * Checks a request as if it were a client's and queues it. Takes it: whatever happens, its
   * promise gets an outcome, maybe before this method returns. Never waits.
   */
  void submit(PendingRequest request);
}
