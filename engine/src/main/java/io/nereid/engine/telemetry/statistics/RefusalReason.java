package io.nereid.engine.telemetry.statistics;

/** Why a request was refused before it was queued, by a limit that passes with time. */
public enum RefusalReason {
  /** As many requests wait as may. */
  QUEUE_FULL,
  /** As many requests of the client wait as may. */
  QUEUE_SHARE,
  /** The request would wait for longer than it may. */
  PREDICTED_WAIT,
  /** The client has as many sequences as it may have. */
  SEQUENCE_SHARE
}
