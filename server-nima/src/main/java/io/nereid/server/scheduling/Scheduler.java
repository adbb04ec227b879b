package io.nereid.server.scheduling;

import io.nereid.error.InferenceException;
import io.nereid.server.request.PendingRequest;
import java.util.concurrent.CompletableFuture;

/** Where requests of one model version wait for an instance. From any thread. */
public interface Scheduler extends AutoCloseable {
  /**
   * Takes the request, which will be answered through its promise: also when it is rejected. Never
   * waits.
   *
   * @param request valid for this model
   */
  void submit(PendingRequest request);

  /**
   * From now on new requests are rejected; what waits still runs, and so do requests that go on
   * with a sequence, and steps of ensembles.
   *
   * @return completed once there is no sequence that a client may go on with
   */
  CompletableFuture<?> stop();

  /**
   * What new requests are told after the stop.
   *
   * @param prefix what the text begins with
   */
  static InferenceException stopping(String prefix) {
    return InferenceException.unavailable(
        prefix
            + "Server is stopping, scheduler for model has stopped accepting new inference"
            + " requests");
  }

  /** Ends the scheduler; once nothing is queued any more. */
  @Override
  void close();
}
