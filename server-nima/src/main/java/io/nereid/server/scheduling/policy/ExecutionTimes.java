package io.nereid.server.scheduling.policy;

/**
 * The mean execution times of a model's batches by their rows. Sizes are kept in groups, each twice
 * as large as the one before: 1, 2 to 3, 4 to 7 and so on. Each group has an exponentially weighted
 * moving average.
 *
 * <p>A size that was not measured is taken to be as fast as the nearest smaller one that was, so
 * that batches may grow. A larger batch is never taken to be slower than smaller ones with the same
 * rows would be one after the other: a measurement that is out of date, of a size that has not
 * occurred since, cannot keep it from occurring again.
 *
 * <p>A single slow execution, such as the first one or one that the collector has paused, counts
 * {@link #MAX_RISE} times the mean at most, and a mean is at most {@link #MAX_FALL} times the
 * latest measurement.
 */
final class ExecutionTimes {
  /** The weight of a measurement is one divided by this. */
  private static final int SMOOTHING = 8;

  private static final int MAX_RISE = 8;
  private static final int MAX_FALL = 4;

  /** By the number of bits of the rows; 0 if the group was not measured. */
  private final long[] means = new long[Long.SIZE + 1];

  /** Whether any batch was measured. */
  private boolean measured;

  boolean isMeasured() {
    return measured;
  }

  /** Records an execution. */
  void add(long rows, long nanos) {
    int group = group(rows);
    long sample = Math.max(1, nanos);
    long mean = means[group];
    if (mean == 0) {
      means[group] = sample;
    } else {
      mean = Math.min(mean, MAX_FALL * sample);
      sample = Math.min(sample, MAX_RISE * mean);
      means[group] = Math.max(1, mean + (sample - mean) / SMOOTHING);
    }
    measured = true;
  }

  /** The expected duration of an execution; 0 if none was measured. */
  long nanos(long rows) {
    int group = group(rows);
    long expected = means[group];
    for (int smaller = group - 1; smaller > 0; smaller--) {
      if (means[smaller] != 0) {
        if (expected == 0) {
          return means[smaller];
        }
        int doublings = group - smaller;
        long separately =
            means[smaller] << Math.min(doublings, Long.numberOfLeadingZeros(means[smaller]) - 1);
        expected = Math.min(expected, separately);
      }
    }
    for (int larger = group + 1; expected == 0 && larger < means.length; larger++) {
      expected = means[larger];
    }
    return expected;
  }

  private static int group(long rows) {
    return Long.SIZE - Long.numberOfLeadingZeros(rows);
  }
}
