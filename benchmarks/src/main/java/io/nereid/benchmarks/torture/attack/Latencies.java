package io.nereid.benchmarks.torture.attack;

import org.HdrHistogram.Histogram;

/** Latencies and failures of one kind of request. Written by one thread, read by any. */
public final class Latencies {
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Histogram nanos = new Histogram(DIGITS);
  private long failures;
  private String firstFailure = "";

  public synchronized void succeeded(long nanos) {
    this.nanos.recordValue(nanos);
  }

  /**
   * Counts a request that failed; its latency counts as well, since its client has waited for it.
   */
  public synchronized void failed(long nanos, String reason) {
    this.nanos.recordValue(nanos);
    if (failures++ == 0) {
      firstFailure = reason;
    }
  }

  public synchronized long count() {
    return nanos.getTotalCount();
  }

  public synchronized double maxMillis() {
    return nanos.getMaxValue() / NANOS_PER_MILLI;
  }

  /** The latency that {@code percent} of the requests did not exceed; 0 if there are none. */
  public synchronized double percentileMillis(double percent) {
    return nanos.getValueAtPercentile(percent) / NANOS_PER_MILLI;
  }

  public synchronized long failures() {
    return failures;
  }

  /** The reason of the first failure; empty if there is none. */
  public synchronized String firstFailure() {
    return firstFailure;
  }
}
