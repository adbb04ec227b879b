package io.nereid.engine.scheduling;

import io.nereid.engine.request.PendingRequest;
import io.nereid.error.InferenceException;
import java.util.concurrent.CompletableFuture;

/** The scheduler of one model version, which queues and dispatches its requests. Thread-safe. */
public interface Scheduler extends AutoCloseable {
  /**
   * Takes the request and completes its promise, also if the request is rejected. Does not block.
   * If it throws, as for lack of memory, the request is not queued, and its caller ends it.
   *
   * @param request valid for this model
   */
  void submit(PendingRequest request);

  /**
   * Ends a request that has a cached response with it. Takes the request. With {@code
   * preserve_ordering} the response has its place in the order of the requests.
   */
  default void answerCached(PendingRequest request) {
    request.answerCached();
  }

  /**
   * Tells of a request whose head has come, and whose inputs have not. Takes it. If it would be
   * refused now for the wait that is predicted for it, its promise is rejected; otherwise the
   * promise stays undecided, and the request is to be submitted once it has come. Does not block.
   *
   * @param head a request without inputs, of one row, with the highest priority
   */
  default void announce(PendingRequest head) {
    head.close();
  }

  /**
   * How long a request that arrives now would wait until its batch starts, as the scheduler has
   * predicted it: now, or the last time that this was asked, if it decides by another thread at the
   * moment. 0 if nothing was measured, or requests do not wait here. Does not block.
   */
  default long waitNanos() {
    return 0;
  }

  /**
   * Rejects new requests from now on. Waiting requests, further requests of open sequences and
   * ensemble steps are still executed.
   *
   * @return completed when no sequence is open
   */
  CompletableFuture<?> stop();

  /**
   * The failure of new requests after the stop.
   *
   * @param prefix of the message
   */
  static InferenceException stopping(String prefix) {
    return InferenceException.unavailable(
        prefix
            + "Server is stopping, scheduler for model has stopped accepting new inference"
            + " requests");
  }

  /** The failure of requests for a version that is loading, unavailable or being unloaded. */
  static InferenceException notReady(String model, long version) {
    return InferenceException.unavailable(
        "Request for unknown model: '%s' version %d is not at ready state"
            .formatted(model, version));
  }

  /** Frees what the scheduler holds. Called when no request is queued. */
  @Override
  void close();
}
