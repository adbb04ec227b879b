package io.nereid.engine.telemetry.trace;

/** What a trace records. No level at all is Triton's {@code OFF}. */
public enum TraceLevel {
  /** The times at which a request reached its stages. */
  TIMESTAMPS,
  /** The elements of inputs and outputs. */
  TENSORS
}
