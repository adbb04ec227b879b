package io.nereid.scheduler;

import io.nereid.exchange.PendingRequest;

/** Where requests of one model version wait for an instance. */
public interface Scheduler {
  /**
   * Takes the request, which will be answered through its promise: also when it is refused. Never
   * waits.
   *
   * @param request valid for this model
   */
  void submit(PendingRequest request);
}
