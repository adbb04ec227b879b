package io.nereid.engine.telemetry.statistics.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The distribution of a duration since its model was loaded. Immutable. */
public final class DurationDistribution {
  private static final int[] UP_TO =
      DurationBuckets.BOUNDS.stream().mapToInt(DurationBuckets::upTo).toArray();

  private static final int[] NATIVE =
      IntStream.range(0, DurationBuckets.COUNT).map(DurationBuckets::nativeIndex).toArray();

  private final long[] counts;
  private final long sumNanos;

  /**
   * A bucket of a native histogram.
   *
   * @param index see {@link DurationBuckets}
   * @param count of the durations in it, above 0
   */
  public record NativeBucket(int index, long count) {}

  /**
   * @param counts by bucket; taken
   */
  DurationDistribution(long[] counts, long sumNanos) {
    this.counts = counts;
    this.sumNanos = sumNanos;
  }

  /** For each of {@link DurationBuckets#BOUNDS}, the durations up to it; last, all of them. */
  public long[] cumulative() {
    var cumulative = new long[UP_TO.length + 1];
    long sum = 0;
    int bound = 0;
    for (int i = 0; i < counts.length; i++) {
      if (bound < UP_TO.length && i == UP_TO[bound]) {
        cumulative[bound] = sum;
        bound++;
      }
      sum += counts[i];
    }
    cumulative[UP_TO.length] = sum;
    return cumulative;
  }

  public long sumNanos() {
    return sumNanos;
  }

  /** The upper bound of what {@link #zeroCount} counts. */
  public static double zeroThresholdSeconds() {
    return Math.pow(2, DurationBuckets.ZERO_INDEX / (double) (1 << DurationBuckets.SCHEMA));
  }

  /** The durations too short for a native bucket. */
  public long zeroCount() {
    return counts[0];
  }

  /** The native buckets with durations, ascending. */
  public List<NativeBucket> nativeBuckets() {
    List<NativeBucket> buckets = new ArrayList<>();
    int i = 1;
    while (i < counts.length) {
      int index = NATIVE[i];
      long count = 0;
      for (; i < counts.length && NATIVE[i] == index; i++) {
        count += counts[i];
      }
      if (count > 0) {
        buckets.add(new NativeBucket(index, count));
      }
    }
    return buckets;
  }
}
