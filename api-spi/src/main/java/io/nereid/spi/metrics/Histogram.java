package io.nereid.spi.metrics;

import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** How many observed values are up to each of some bounds. */
public final class Histogram implements Metric {
  private final double[] bounds;

  /** Of the values up to the bound with the same index; last, of those above all. */
  private final LongAdder[] counts;

  private final DoubleAdder sum = new DoubleAdder();

  /**
   * @param bounds ascending and finite
   */
  Histogram(double[] bounds) {
    this.bounds = bounds.clone();
    this.counts = new LongAdder[bounds.length + 1];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Counts a value, unless it is not finite. */
  public void observe(double value) {
    if (Double.isFinite(value)) {
      int index = 0;
      while (index < bounds.length && value > bounds[index]) {
        index++;
      }
      counts[index].increment();
      sum.add(value);
    }
  }

  /** The bounds, ascending. */
  public double[] bounds() {
    return bounds.clone();
  }

  /** How many values were up to each bound; last, how many there were. */
  public long[] cumulative() {
    long[] cumulative = new long[counts.length];
    long total = 0;
    for (int i = 0; i < counts.length; i++) {
      total += counts[i].sum();
      cumulative[i] = total;
    }
    return cumulative;
  }

  /** The sum of the values. */
  public double sum() {
    return sum.sum();
  }
}
