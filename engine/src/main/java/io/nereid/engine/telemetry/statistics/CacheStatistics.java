package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.latency.LatencyRecording;

/**
 * The statistics of the response cache for one load of a model version: of the requests that it
 * answered, and of those that were executed since it could not. Thread-safe.
 */
public final class CacheStatistics {
  /** Written under the monitor of this object, since no instance's thread looks responses up. */
  private final InstanceStatistics counters;

  CacheStatistics(LatencyRecording recording) {
    counters = new InstanceStatistics(recording, InstanceStatistics.CACHE_PHASES);
  }

  InstanceStatistics counters() {
    return counters;
  }

  /**
   * Counts a request that the cache answered: it has succeeded, and was not executed.
   *
   * @param requestNanos from its arrival to its response
   * @param queueNanos from its arrival to its look-up
   * @param lookUpNanos of the look-up
   */
  public synchronized void hit(long requestNanos, long queueNanos, long lookUpNanos) {
    counters.answeredFromCache(requestNanos, queueNanos, lookUpNanos);
    counters.firstResponded(requestNanos);
  }

  /**
   * Counts a request that the cache could not answer and that has got its response; its success is
   * counted by its instance.
   *
   * @param lookUpAndInsertionNanos the sum of both durations
   */
  public synchronized void missed(long lookUpAndInsertionNanos) {
    counters.missedInCache(lookUpAndInsertionNanos);
  }
}
