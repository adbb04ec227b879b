package io.nereid.engine.request;

import io.nereid.error.InferenceException;

/**
 * The destination of a request's responses: a connection, or the ensemble that the request is a
 * step of. A request of a decoupled model gets any number of {@link #next}; every request then gets
 * exactly one of {@link #answer}, {@link #complete}, {@link #fail} and {@link #reject}, on any
 * thread. No method blocks but {@link #awaitRoom}.
 */
public interface ResponseReceiver {
  /**
   * Whether the calling thread has nothing to do but to wait for the outcome, so that it may as
   * well execute the request.
   */
  default boolean isAwaitedHere() {
    return false;
  }

  /**
   * Whether others wait for the calling thread while it executes the request; asked if {@link
   * #isAwaitedHere}.
   */
  default boolean keepsOthersWaiting() {
    return false;
  }

  /**
   * Receives how long a request waited and how long its execution took, by phase, before the
   * outcome of a request that was executed. A cancellation may overtake it.
   */
  default void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {}

  /**
   * Takes a response that is not the last one. For a receiver of single responses that is a bug of
   * the sender, and the response is closed.
   */
  default void next(InferenceResponse response) {
    response.close();
    throw new IllegalStateException("expected a single response, got more");
  }

  /** Waits for room for another response; called after {@link #next}, by an instance. */
  default void awaitRoom() {}

  /** Takes the only response, or the last one. */
  void answer(InferenceResponse response);

  /**
   * The request has ended without a further response. For a receiver of single responses that is a
   * failure.
   */
  default void complete() {
    fail(InferenceException.internal("expected a single response, got 0"));
  }

  /** The request has ended with a failure. */
  void fail(InferenceException failure);

  /** The request has ended before it was queued: its model never accepted it. */
  default void reject(InferenceException reason) {
    fail(reason);
  }
}
