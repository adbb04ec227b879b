package io.nereid.server.request;

import io.nereid.error.InferenceException;

/**
 * Who waits for an answer: a connection, or the ensemble that the request is a step of. A request
 * of a decoupled model gets any number of {@link #next}; every request then gets exactly one of
 * {@link #answer}, {@link #complete} and {@link #fail}, on any thread. None may block but {@link
 * #awaitRoom}.
 */
public interface ResponseReceiver {
  /**
   * Takes how long the execution took, by phase, if it cares: before the outcome of a request that
   * was executed. A cancellation may overtake it.
   */
  default void computed(long inputNanos, long inferNanos, long outputNanos) {}

  /**
   * Takes a response that is not the last one. A receiver of single responses has none: a second
   * response is a bug of the sender, and closed.
   */
  default void next(InferenceResponse response) {
    response.close();
    throw new IllegalStateException("expected a single response, got more");
  }

  /**
   * Waits until another response is welcome; behind {@link #next}, by an instance that may wait.
   */
  default void awaitRoom() {}

  /** Takes the only response, or the last one. */
  void answer(InferenceResponse response);

  /** There is no further response. For a receiver of single responses, that is a failure. */
  default void complete() {
    fail(InferenceException.internal("expected a single response, got 0"));
  }

  /** There is no further response but this failure. */
  void fail(InferenceException failure);
}
