package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Histogram;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The times to the first response of one instance's requests; written by one thread, read by any.
 */
final class FirstResponses {
  private static final double NANOS_PER_MILLI = 1e6;

  private final double[] bounds;

  /** One per bucket, not cumulative, and one for the durations above all bounds. */
  private final AtomicLongArray counts;

  private volatile long sumNanos;

  /**
   * @param bounds upper bounds of the buckets in milliseconds, ascending
   */
  FirstResponses(List<Double> bounds) {
    this.bounds = bounds.stream().mapToDouble(Double::doubleValue).toArray();
    this.counts = new AtomicLongArray(bounds.size() + 1);
  }

  /** Called by the writing thread only. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // there is one writer
  void add(long nanos) {
    double millis = nanos / NANOS_PER_MILLI;
    int bucket = 0;
    while (bucket < bounds.length && millis > bounds[bucket]) {
      bucket++;
    }
    sumNanos += nanos;
    counts.setRelease(bucket, counts.getPlain(bucket) + 1);
  }

  /** Adds the counts of {@code other}, of equal bounds; called by the thread that writes these. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // as above
  void addAll(FirstResponses other) {
    for (int i = 0; i < counts.length(); i++) {
      counts.setPlain(i, counts.getPlain(i) + other.counts.getAcquire(i));
    }
    sumNanos += other.sumNanos;
  }

  Histogram histogram() {
    List<Histogram.Bucket> buckets = new ArrayList<>(bounds.length);
    long upTo = 0;
    for (int i = 0; i < bounds.length; i++) {
      upTo += counts.getAcquire(i);
      buckets.add(new Histogram.Bucket(bounds[i], upTo));
    }
    return new Histogram(buckets, upTo + counts.getAcquire(bounds.length), sumNanos);
  }
}
