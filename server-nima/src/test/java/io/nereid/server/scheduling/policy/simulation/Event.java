package io.nereid.server.scheduling.policy.simulation;

import io.nereid.request.SequenceId;

/**
 * Something that happens to a scheduler. An event that makes no sense when its turn comes, because
 * others were left out, say, does not happen.
 */
sealed interface Event {
  /**
   * A request comes.
   *
   * @param name a number of its own
   * @param agoNanos how long before the turn it came, for decisions are made a little later
   * @param ensembleStep whether it is a step of an ensemble's, which goes on after the stop
   * @param patienceNanos when the client gives up, after the arrival; negative: never
   */
  record Arrive(
      int name,
      long rows,
      String key,
      boolean ensembleStep,
      long agoNanos,
      long patienceNanos,
      long priority,
      long timeoutMicros,
      SequenceId sequence,
      boolean start,
      boolean end)
      implements Event {}

  /** The client calls a request off. */
  record Cancel(int name) implements Event {}

  /** One of the instances that were called, counted around, comes and asks for a batch. */
  record Come(int choice) implements Event {}

  /**
   * One of the busy instances, counted around, has executed its batch.
   *
   * @param again a bit for each request of the batch: whether it wants to run again, if it may
   * @param agoNanos how long ago the model had ended, or {@link #AS_THE_LAST_CAME}
   * @param asks whether it asks for the next batch at once, or rests
   */
  record Finish(int choice, int again, long agoNanos, boolean asks) implements Event {
    /** The model had ended at the moment at which the last request came. */
    static final long AS_THE_LAST_CAME = -1;
  }

  /** An instance is added, unless it is there. */
  record Add(int instance, long priority) implements Event {}

  /** An instance is to be removed, if it is there. */
  record Remove(int instance) implements Event {}

  /** New requests are rejected from now on. */
  record Stop() implements Event {}
}
