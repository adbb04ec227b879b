package io.nereid.benchmarks.load;

import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, recorded in nanoseconds with three significant digits. One thread at a
 * time.
 */
final class LatencyHistogram {
  private static final int SIGNIFICANT_DIGITS = 3;
  private static final double NANOS_PER_MICRO = 1e3;

  private final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);

  /** Counts one answer; a clock that seems to run backwards counts as no time. */
  void record(long nanos) {
    histogram.recordValue(Math.max(0, nanos));
  }

  long count() {
    return histogram.getTotalCount();
  }

  double minMicros() {
    return count() == 0 ? 0 : histogram.getMinValue() / NANOS_PER_MICRO;
  }

  double meanMicros() {
    return histogram.getMean() / NANOS_PER_MICRO;
  }

  double maxMicros() {
    return histogram.getMaxValue() / NANOS_PER_MICRO;
  }

  /** The latency that {@code percent} of the answers did not exceed, 0 with no answers. */
  double percentileMicros(double percent) {
    return histogram.getValueAtPercentile(percent) / NANOS_PER_MICRO;
  }
}
