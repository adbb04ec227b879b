package io.nereid.engine.telemetry.statistics;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * A histogram of sizes, with a bucket for each power of two; written by one thread at a time, read
 * by any.
 */
public final class SizeHistogram {
  private static final int BUCKETS = 21;

  /** The upper bounds of the buckets, inclusive, but for the last one, which has none. */
  public static final List<Double> BOUNDS =
      IntStream.range(0, BUCKETS).mapToObj(bits -> (double) (1 << bits)).toList();

  /** One per bound, not cumulative, and one for the sizes above all of them. */
  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS + 1);

  private volatile long sum;

  SizeHistogram() {}

  /** Counts a size, which is not negative. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // there is one writer
  void add(long size) {
    int bucket = size <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(size - 1);
    sum += size;
    counts.getAndAdd(Math.min(bucket, BUCKETS), 1);
  }

  /** Adds the counts of another; called by the thread that writes these. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // as above
  void addAll(SizeHistogram other) {
    for (int i = 0; i < counts.length(); i++) {
      counts.getAndAdd(i, other.counts.get(i));
    }
    sum += other.sum;
  }

  Sizes sizes() {
    List<Long> cumulative = new ArrayList<>(counts.length());
    long upTo = 0;
    for (int i = 0; i < counts.length(); i++) {
      upTo += counts.get(i);
      cumulative.add(upTo);
    }
    return new Sizes(cumulative, sum);
  }
}
