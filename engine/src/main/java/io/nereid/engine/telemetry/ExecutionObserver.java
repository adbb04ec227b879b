package io.nereid.engine.telemetry;

/** What is told the times of a request's execution. */
@FunctionalInterface
public interface ExecutionObserver {
  /** For a request whose times are of no interest. */
  ExecutionObserver IGNORED = (_, _) -> {};

  /**
   * Sets the times. Called by the thread of the instance, before the last response is passed on.
   *
   * @param queueNanos from the arrival to the start of the execution
   * @param computeNanos of the whole execution
   */
  void executed(long queueNanos, long computeNanos);
}
