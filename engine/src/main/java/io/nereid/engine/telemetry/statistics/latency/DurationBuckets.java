package io.nereid.engine.telemetry.statistics.latency;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * The buckets in which durations are counted. Their bounds are those of two histograms at once, so
 * that both are exact:
 *
 * <ul>
 *   <li>a Prometheus histogram with {@link #BOUNDS}, which people ask for;
 *   <li>a native Prometheus histogram of {@link #SCHEMA}: its bucket {@code i} has the durations
 *       above 2^((i-1)/4) s up to 2^(i/4) s.
 * </ul>
 */
public final class DurationBuckets {
  /** Upper bounds in seconds, inclusive, ascending; longer durations have none. */
  public static final List<Double> BOUNDS =
      List.of(
          0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0,
          2.5, 5.0, 10.0);

  /** Each power of two has 2^2 native buckets. */
  public static final int SCHEMA = 2;

  /** The index of the native bucket whose upper bound is the zero threshold: 2^-20 s. */
  static final int ZERO_INDEX = -20 << SCHEMA;

  /** The index of the last native bucket, which has all durations above 2^16 s, 18 hours, too. */
  static final int LAST_INDEX = 16 << SCHEMA;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Upper bounds in nanoseconds, inclusive, ascending. */
  private static final long[] UPPER = upper();

  static final int COUNT = UPPER.length;

  private DurationBuckets() {}

  static int of(long nanos) {
    int found = Arrays.binarySearch(UPPER, Math.clamp(nanos, 0, UPPER[COUNT - 1]));
    return found < 0 ? -1 - found : found;
  }

  /** How many of the buckets have durations up to a bound, from 0 to 10 seconds. */
  static int upTo(double seconds) {
    return of(Math.round(seconds * NANOS_PER_SECOND)) + 1;
  }

  /** The index of the native bucket that a bucket is a part of. */
  static int nativeIndex(int bucket) {
    int index = ZERO_INDEX;
    while (UPPER[bucket] > nativeBound(index)) {
      index++;
    }
    return index;
  }

  private static long nativeBound(int index) {
    return (long) (Math.pow(2, index / (double) (1 << SCHEMA)) * NANOS_PER_SECOND);
  }

  private static long[] upper() {
    var bounds = new TreeSet<Long>();
    for (int index = ZERO_INDEX; index <= LAST_INDEX; index++) {
      bounds.add(nativeBound(index));
    }
    BOUNDS.forEach(seconds -> bounds.add(Math.round(seconds * NANOS_PER_SECOND)));
    return bounds.stream().mapToLong(Long::longValue).toArray();
  }
}
