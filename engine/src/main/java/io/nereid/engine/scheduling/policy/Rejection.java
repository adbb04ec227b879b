package io.nereid.engine.scheduling.policy;

/** Why a scheduler ends a request without executing it. */
public enum Rejection {
  /** The scheduler is stopped. */
  STOPPING(/* afterAdmission= */ false),
  /** The limit of waiting requests is reached. */
  QUEUE_FULL(/* afterAdmission= */ false),
  /** As many requests of the client wait as may. */
  QUEUE_SHARE(/* afterAdmission= */ false),
  /** The request waited for as long as its queue policy allows. */
  TIMED_OUT(/* afterAdmission= */ true),
  /** The request waited for as long as the server allows. */
  WAITED_TOO_LONG(/* afterAdmission= */ true),
  /** The client cancelled the request, or its deadline has passed. */
  CANCELLED(/* afterAdmission= */ true),
  /** The scheduler is stopped and starts no sequence. */
  SEQUENCE_STOPPING(/* afterAdmission= */ false),
  /** The client has as many sequences as it may have. */
  SEQUENCE_SHARE(/* afterAdmission= */ false),
  /** A request to a sequence model has more than one row. */
  SEQUENCE_BATCH_SIZE(/* afterAdmission= */ false),
  /** A request to a sequence model has no correlation id. */
  SEQUENCE_ID_MISSING(/* afterAdmission= */ false),
  /** The first request of a sequence has no start flag. */
  SEQUENCE_START_MISSING(/* afterAdmission= */ false),
  /** The request was rescheduled, but its sequence has ended. */
  SEQUENCE_OVER(/* afterAdmission= */ true),
  /** The timeout of one of its requests expired while the sequence was in the backlog. */
  SEQUENCE_TIMED_OUT(/* afterAdmission= */ true);

  private final boolean afterAdmission;

  Rejection(boolean afterAdmission) {
    this.afterAdmission = afterAdmission;
  }

  /** Whether the request was admitted before: only then is it counted as failed. */
  public boolean afterAdmission() {
    return afterAdmission;
  }
}
