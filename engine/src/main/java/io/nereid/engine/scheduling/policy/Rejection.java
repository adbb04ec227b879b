package io.nereid.engine.scheduling.policy;

/** Why a scheduler ends a request without executing it. */
public enum Rejection {
  /** The scheduler is stopped. */
  STOPPING,
  /** The limit of waiting requests is reached. */
  QUEUE_FULL,
  /** As many requests of the client wait as may. */
  QUEUE_SHARE,
  /** The request waited for as long as its queue policy allows. */
  TIMED_OUT,
  /** The request waited for as long as the server allows. */
  WAITED_TOO_LONG,
  /** The client cancelled the request, or its deadline has passed. */
  CANCELLED,
  /** The scheduler is stopped and starts no sequence. */
  SEQUENCE_STOPPING,
  /** The client has as many sequences as it may have. */
  SEQUENCE_SHARE,
  /** A request to a sequence model has more than one row. */
  SEQUENCE_BATCH_SIZE,
  /** A request to a sequence model has no correlation id. */
  SEQUENCE_ID_MISSING,
  /** The first request of a sequence has no start flag. */
  SEQUENCE_START_MISSING,
  /** The request was rescheduled, but its sequence has ended. */
  SEQUENCE_OVER,
  /** The timeout of one of its requests expired while the sequence was in the backlog. */
  SEQUENCE_TIMED_OUT;

  /** Whether the request was admitted before: only then is it counted as failed. */
  public boolean afterAdmission() {
    return switch (this) {
      case TIMED_OUT, WAITED_TOO_LONG, CANCELLED, SEQUENCE_OVER, SEQUENCE_TIMED_OUT -> true;
      case STOPPING,
          QUEUE_FULL,
          QUEUE_SHARE,
          SEQUENCE_STOPPING,
          SEQUENCE_SHARE,
          SEQUENCE_BATCH_SIZE,
          SEQUENCE_ID_MISSING,
          SEQUENCE_START_MISSING ->
          false;
    };
  }
}
