package io.nereid.server.telemetry.statistics;

/** Why a request that was accepted got no answer; the metrics' label {@code reason}. */
public enum FailureReason {
  /** It waited longer than it was allowed to. */
  REJECTED,
  /** It was called off. */
  CANCELED,
  /** The model failed. */
  BACKEND,
  /** Anything else. */
  OTHER
}
