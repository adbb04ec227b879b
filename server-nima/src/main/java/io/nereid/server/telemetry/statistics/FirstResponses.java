package io.nereid.server.telemetry.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long requests of one instance waited for their first response, by ranges; written by one
 * thread, read by any.
 */
final class FirstResponses {
  private static final double NANOS_PER_MILLI = 1e6;

  private final double[] bounds;

  /** Of each range, and of what lies above all of them. */
  private final AtomicLongArray counts;

  private volatile long sumNanos;

  /**
   * @param bounds upper ends of the ranges in milliseconds, ascending
   */
  FirstResponses(List<Double> bounds) {
    this.bounds = bounds.stream().mapToDouble(Double::doubleValue).toArray();
    this.counts = new AtomicLongArray(bounds.size() + 1);
  }

  /** By the one thread that writes. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // nobody else writes
  void add(long nanos) {
    double millis = nanos / NANOS_PER_MILLI;
    int range = 0;
    while (range < bounds.length && millis > bounds[range]) {
      range++;
    }
    sumNanos += nanos;
    counts.setRelease(range, counts.getPlain(range) + 1);
  }

  /** Adds the other's numbers, of the same ranges; by the one thread that writes these. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // as above
  void addAll(FirstResponses other) {
    for (int i = 0; i < counts.length(); i++) {
      counts.setPlain(i, counts.getPlain(i) + other.counts.getAcquire(i));
    }
    sumNanos += other.sumNanos;
  }

  FirstResponseHistogram histogram() {
    List<FirstResponseHistogram.Bucket> buckets = new ArrayList<>(bounds.length);
    long upTo = 0;
    for (int i = 0; i < bounds.length; i++) {
      upTo += counts.getAcquire(i);
      buckets.add(new FirstResponseHistogram.Bucket(bounds[i], upTo));
    }
    return new FirstResponseHistogram(buckets, upTo + counts.getAcquire(bounds.length), sumNanos);
  }
}
