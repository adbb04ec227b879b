package io.nereid.scheduler;

import io.nereid.exchange.PendingRequest;

/** Where requests of one model version wait for an instance. From any thread. */
public interface Scheduler extends AutoCloseable {
  /**
   * Takes the request, which will be answered through its promise: also when it is refused. Never
   * waits.
   *
   * @param request valid for this model
   */
  void submit(PendingRequest request);

  /** From now on new requests are refused; what waits still runs. */
  void stop();

  /** Ends the scheduler; once nothing is queued any more. */
  @Override
  void close();
}
