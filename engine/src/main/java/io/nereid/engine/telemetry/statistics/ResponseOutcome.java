package io.nereid.engine.telemetry.statistics;

/** The outcome of one response of a decoupled model. */
public enum ResponseOutcome {
  /** The response had outputs and was sent. */
  SUCCESS,
  FAIL,
  /** The response had no outputs, as the end of a request without a further response. */
  EMPTY,
  /** The request was cancelled before the response was sent. */
  CANCEL
}
