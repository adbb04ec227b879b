package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.request.RequestOptions;

/**
 * An event of a scenario. An event that is not applicable, for example because others were removed,
 * is ignored.
 */
sealed interface Event {
  /**
   * A request arrives.
   *
   * @param name a unique number
   * @param agoNanos how long before the tick it arrived, since decisions follow a little later
   * @param ensembleStep whether it belongs to an ensemble, so that a stop does not reject it
   * @param timeToDeadlineNanos from the arrival; negative for no deadline
   * @param client whose request it is
   */
  record Arrive(
      int name,
      long rows,
      String key,
      boolean ensembleStep,
      long agoNanos,
      long timeToDeadlineNanos,
      RequestOptions options,
      String client)
      implements Event {}

  /** The client cancels a request. */
  record Cancel(int name) implements Event {}

  /** One of the woken instances, by index modulo their number, is ready. */
  record Ready(int choice) implements Event {}

  /**
   * One of the busy instances, by index modulo their number, has executed its batch.
   *
   * @param again a bit for each request of the batch: whether it is rescheduled, if it can be
   * @param agoNanos how long ago the model had ended, or {@link #AT_LAST_ARRIVAL}
   * @param ready whether the instance is ready at once, or idle
   * @param cutShort whether the batch was cancelled or has failed before its end
   */
  record Finish(int choice, int again, long agoNanos, boolean ready, boolean cutShort)
      implements Event {
    /** The model had ended when the last request arrived. */
    static final long AT_LAST_ARRIVAL = -1;
  }

  /** An instance is added, unless it exists. */
  record Add(int instance, long priority) implements Event {}

  /** An instance is to be removed, if it exists. */
  record Remove(int instance) implements Event {}

  /** New requests are rejected from now on. */
  record Stop() implements Event {}
}
