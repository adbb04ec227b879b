package io.nereid.engine;

import io.nereid.engine.request.AwaitedResponses;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.WaitingLimit;
import io.nereid.error.InferenceException;
import java.util.Optional;

/**
 * The responses of one request to a decoupled model, as they come. The thread that asked for them
 * takes them. If more than {@link #MAX_WAITING} wait to be taken, the request is cancelled.
 */
public final class ModelResponses implements AutoCloseable {
  /** The most responses that may wait. */
  public static final int MAX_WAITING = 1_024;

  private final RequestTimeout timeout;
  private final OpenResponses open;
  private final AwaitedResponses responses = new AwaitedResponses(new WaitingLimit(MAX_WAITING));

  ModelResponses(RequestTimeout timeout, OpenResponses open) {
    this.timeout = timeout;
    this.open = open;
  }

  ResponsePromise promise() {
    return responses.promise();
  }

  /**
   * Waits for the next response.
   *
   * @return owned by the caller; empty once the request has ended
   * @throws InferenceException why the request has failed, behind all responses that came before;
   *     DEADLINE_EXCEEDED behind its time, CANCELLED after an interrupt
   */
  public Optional<ModelResponse> next() {
    try {
      InferenceResponse next = responses.take(timeout.leftNanos());
      return next == null ? Optional.empty() : Optional.of(new ModelResponse(next, open));
    } catch (InferenceException failure) {
      throw timeout.explain(failure);
    }
  }

  /** Cancels the request unless it has ended, and drops the responses that were not taken. */
  @Override
  public void close() {
    responses.close();
  }
}
