package io.nereid.benchmarks.torture;

import org.HdrHistogram.Histogram;

/** Latencies and failures of one kind of request. Written by one thread, read by any. */
final class Latencies {
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Histogram nanos = new Histogram(DIGITS);
  private long failures;
  private String firstFailure = "";

  synchronized void succeeded(long nanos) {
    this.nanos.recordValue(nanos);
  }

  /**
   * Counts a request that failed; its latency counts as well, since its client has waited for it.
   */
  synchronized void failed(long nanos, String reason) {
    this.nanos.recordValue(nanos);
    if (failures++ == 0) {
      firstFailure = reason;
    }
  }

  synchronized long count() {
    return nanos.getTotalCount();
  }

  synchronized double maxMillis() {
    return nanos.getMaxValue() / NANOS_PER_MILLI;
  }

  /** The latency that {@code percent} of the requests did not exceed; 0 if there are none. */
  synchronized double percentileMillis(double percent) {
    return nanos.getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }

  synchronized long failures() {
    return failures;
  }

  /** The reason of the first failure; empty if there is none. */
  synchronized String firstFailure() {
    return firstFailure;
  }
}
