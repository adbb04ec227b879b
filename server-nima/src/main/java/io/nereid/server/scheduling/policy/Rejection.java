package io.nereid.server.scheduling.policy;

/** Why a request does not run. */
public enum Rejection {
  /** The scheduler takes no more requests. */
  STOPPING,
  /** As many requests wait as may. */
  QUEUE_FULL,
  /** The request waited for as long as its queue policy allows. */
  TIMED_OUT,
  /** The client called the request off, or its deadline is over. */
  CANCELLED,
  /** The scheduler takes no more sequences. */
  SEQUENCE_STOPPING,
  /** A request to a sequence model has more than one row. */
  SEQUENCE_BATCH_SIZE,
  /** A request to a sequence model names no sequence. */
  SEQUENCE_ID_MISSING,
  /** A sequence that is not under way must begin with its first request. */
  SEQUENCE_START_MISSING,
  /** The request was to run again, and its sequence is over. */
  SEQUENCE_OVER,
  /** The sequence waited for a slot for as long as one of its requests allows. */
  SEQUENCE_TIMED_OUT;

  /** Whether the request had been accepted before: only then it counts as failed. */
  public boolean afterAdmission() {
    return switch (this) {
      case TIMED_OUT, CANCELLED, SEQUENCE_OVER, SEQUENCE_TIMED_OUT -> true;
      case STOPPING,
          QUEUE_FULL,
          SEQUENCE_STOPPING,
          SEQUENCE_BATCH_SIZE,
          SEQUENCE_ID_MISSING,
          SEQUENCE_START_MISSING ->
          false;
    };
  }
}
