package io.nereid.server.scheduling.ensemble;

import io.nereid.error.InferenceException;
import io.nereid.server.request.InferenceResponse;

/** What carries a request of an ensemble on. */
sealed interface RunEvent {
  /** The request has come. */
  record Started() implements RunEvent {}

  /** The step's limit has a place for a request that was waiting for one. */
  record Admitted(StepRequest request) implements RunEvent {}

  /**
   * A step's request has a response.
   *
   * @param last whether it is the request's end, too
   */
  record Arrived(StepRequest request, InferenceResponse response, boolean last)
      implements RunEvent {}

  /** A step's request has ended, its responses having come before. */
  record Completed(StepRequest request) implements RunEvent {}

  /** A step's request has failed, or was called off. */
  record Failed(StepRequest request, InferenceException failure) implements RunEvent {}

  /** Nobody waits for the ensemble's response any more. */
  record Cancelled() implements RunEvent {}
}
