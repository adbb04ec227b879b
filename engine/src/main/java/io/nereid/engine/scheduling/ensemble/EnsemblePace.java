package io.nereid.engine.scheduling.ensemble;

/**
 * How fast an ensemble answers its requests: the mean interval between two responses while requests
 * are in flight, and the mean execution time of a request's steps. Both are exponentially weighted
 * moving averages. One thread at a time.
 */
final class EnsemblePace {
  /** The weight of a measurement is one divided by this. */
  private static final int SMOOTHING = 8;

  private long inFlight;

  /** When the last request succeeded, or the first one of those in flight began. */
  private long lastNanos;

  /** 0 if none was measured. */
  private long intervalNanos;

  private long executionNanos;

  void began(long now) {
    if (inFlight == 0) {
      lastNanos = now;
    }
    inFlight++;
  }

  /**
   * A request has succeeded.
   *
   * @param computeNanos the sum of its steps' execution times
   */
  void succeeded(long computeNanos, long now) {
    inFlight--;
    intervalNanos = mean(intervalNanos, now - lastNanos);
    executionNanos = mean(executionNanos, computeNanos);
    lastNanos = now;
  }

  void failed() {
    inFlight--;
  }

  private static long mean(long before, long measured) {
    return before == 0 ? Math.max(1, measured) : before + (measured - before) / SMOOTHING;
  }

  long inFlight() {
    return inFlight;
  }

  long executionNanos() {
    return executionNanos;
  }

  /**
   * How long a new request would wait, in all of its steps together: until those in flight and it
   * are answered, less the time in which its steps are executed. 0 if none is in flight, or nothing
   * was measured.
   */
  long waitNanos() {
    return inFlight == 0 ? 0 : Math.max(0, (inFlight + 1) * intervalNanos - executionNanos);
  }
}
