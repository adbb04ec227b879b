package io.nereid.server.telemetry.statistics;

/** What a request's time goes to; all but {@link #REQUEST} are parts of it. */
public enum LatencyPhase {
  /** From its arrival to its answer. */
  REQUEST,
  /** From its arrival to the start of the execution. */
  QUEUE,
  COMPUTE_INPUT,
  COMPUTE_INFER,
  COMPUTE_OUTPUT
}
