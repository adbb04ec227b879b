package io.nereid.engine.call;

/** A call that has not ended. Thread-safe. */
interface RunningCall {
  /** Cancels it; does not wait. */
  void cancel();
}
