package io.nereid.engine.utilization;

/** A model version whose load is measured. Called by the thread of the {@link LoadMeter}. */
interface MeasuredVersion {
  /** What was counted so far. */
  Counts counts();

  /** How long a request that arrives now would wait until its batch starts. Does not block. */
  long waitNanos();

  /**
   * What a version has counted.
   *
   * @param ended requests that have ended, but for those that were refused
   * @param errors requests that the server or the model has failed, or that were refused
   * @param inFlight requests that wait or are executed
   * @param succeeded requests that have succeeded
   * @param computeNanos the sum of the times for which those were executed
   * @param instances that execute them; 1 or more
   */
  record Counts(
      long ended, long errors, long inFlight, long succeeded, long computeNanos, int instances) {}
}
