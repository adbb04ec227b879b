package io.nereid.engine.scheduling.policy;

/**
 * The mean execution times of a model's batches by their rows. Sizes are kept in groups, each twice
 * as large as the one before: 1, 2 to 3, 4 to 7 and so on. Each group has exponentially weighted
 * moving averages of its rows and its times, which are a point of the curve from which times are
 * read: on the straight line through the two nearest points, and beyond the last point on that
 * through the last two. A model of which one size is known is taken to be as fast with all others,
 * so that batches may grow.
 *
 * <p>A larger batch is never taken to be slower than smaller ones with the same rows would be one
 * after the other: a measurement that is out of date, of a size that has not occurred since, cannot
 * keep it from occurring again.
 *
 * <p>A single slow execution, such as the first one or one that the collector has paused, counts
 * {@link #MAX_RISE} times the mean at most, and a mean is at most {@link #MAX_FALL} times the
 * latest measurement.
 */
public final class ExecutionTimes {
  /** The weight of a measurement is one divided by this. */
  private static final double SMOOTHING = 8;

  private static final double MAX_RISE = 8;
  private static final double MAX_FALL = 4;

  /** By the number of bits of the rows; the means of the rows are 0 for an unmeasured group. */
  private final double[] rows = new double[Long.SIZE + 1];

  private final double[] nanos = new double[Long.SIZE + 1];

  /** The measured groups, in ascending order. */
  private final int[] groups = new int[Long.SIZE];

  private int measured;

  public boolean isMeasured() {
    return measured > 0;
  }

  public void add(long batchRows, long batchNanos) {
    int group = Long.SIZE - Long.numberOfLeadingZeros(batchRows);
    double sample = Math.max(1, batchNanos);
    if (rows[group] == 0) {
      insert(group);
      rows[group] = batchRows;
      nanos[group] = sample;
    } else {
      double mean = Math.min(nanos[group], MAX_FALL * sample);
      nanos[group] = mean + (Math.min(sample, MAX_RISE * mean) - mean) / SMOOTHING;
      rows[group] += (batchRows - rows[group]) / SMOOTHING;
    }
  }

  private void insert(int group) {
    int index = measured++;
    while (index > 0 && groups[index - 1] > group) {
      groups[index] = groups[index - 1];
      index--;
    }
    groups[index] = group;
  }

  /** Records an execution that was cut short: it would have taken longer. */
  public void addAtLeast(long batchRows, long batchNanos) {
    if (batchNanos > nanos(batchRows)) {
      add(batchRows, batchNanos);
    }
  }

  /** The expected duration of an execution; 0 if none was measured. */
  public long nanos(long batchRows) {
    if (measured == 0) {
      return 0;
    }
    int next = 0; // the first point with more rows
    double separately = Double.MAX_VALUE;
    while (next < measured && rows[groups[next]] <= batchRows) {
      int group = groups[next++];
      separately = Math.min(separately, nanos[group] / rows[group] * batchRows);
    }
    double expected;
    if (next == 0 || measured == 1) {
      expected = nanos[groups[0]];
    } else if (next < measured) {
      expected = onLine(groups[next - 1], groups[next], batchRows);
    } else {
      int last = groups[next - 1];
      expected = Math.max(nanos[last], onLine(groups[next - 2], last, batchRows));
    }
    return (long) Math.min(expected, separately);
  }

  private double onLine(int from, int to, long batchRows) {
    double slope = (nanos[to] - nanos[from]) / (rows[to] - rows[from]);
    return nanos[from] + slope * (batchRows - rows[from]);
  }
}
