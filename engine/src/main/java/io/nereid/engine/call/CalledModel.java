package io.nereid.engine.call;

import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.request.PendingRequest;
import io.nereid.request.ModelKey;

/**
 * A model version as those see it that call it: ensembles and other models. May be used by any
 * thread.
 */
public interface CalledModel {
  ModelKey key();

  ModelConfig config();

  /** The memory for inputs. */
  LeaseSource inputPool();

  /** Whether its instances can execute requests. */
  boolean isHealthy();

  /** Whether its instances hold resources during an execution that other models may wait for. */
  boolean holdsResources();

  /** Keeps the model open until {@link #leave}; false if it is about to close. */
  boolean enter();

  /** Undoes one {@link #enter}. */
  void leave();

  /**
   * Admits a request: validates it and passes it to the model's scheduler. Takes the request; its
   * promise always gets an outcome, maybe before this method returns. Never blocks.
   *
   * @param request of this model, which is entered
   */
  void admit(PendingRequest request);
}
