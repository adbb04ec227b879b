package io.nereid.server.telemetry.statistics;

/** What became of one response of a decoupled model. */
public enum ResponseOutcome {
  /** It had outputs, and was sent. */
  SUCCESS,
  /** It was a failure. */
  FAIL,
  /** It had no outputs; the end without a further response is one such. */
  EMPTY,
  /** Nobody waited for it any more. */
  CANCEL
}
