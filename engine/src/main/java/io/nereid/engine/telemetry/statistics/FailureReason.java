package io.nereid.engine.telemetry.statistics;

/** Why an accepted request failed: the label {@code reason} of Triton's failure metric. */
public enum FailureReason {
  /** Its time in the queue exceeded its timeout. */
  REJECTED,
  CANCELED,
  /** The model failed. */
  BACKEND,
  OTHER
}
