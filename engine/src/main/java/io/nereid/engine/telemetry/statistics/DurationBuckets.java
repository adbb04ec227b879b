package io.nereid.engine.telemetry.statistics;

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

  /** Each power of two has 16 cells, in which there are few bounds. */
  private static final int CELL_BITS = 4;

  /** Upper bounds in nanoseconds, inclusive, ascending. */
  private static final long[] UPPER = upper();

  static final int COUNT = UPPER.length;

  /** The first bucket that durations of a cell may be in. */
  private static final short[] FIRST = first();

  private DurationBuckets() {}

  /** The bucket of a duration. */
  static int of(long nanos) {
    long duration = Math.clamp(nanos, 0, UPPER[COUNT - 1]);
    int bucket = FIRST[cell(duration)];
    while (duration > UPPER[bucket]) {
      bucket++;
    }
    return bucket;
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

  private static short[] first() {
    var first = new short[cell(UPPER[COUNT - 1]) + 1];
    for (int cell = 0; cell < first.length; cell++) {
      int found = Arrays.binarySearch(UPPER, least(cell));
      first[cell] = (short) (found < 0 ? -1 - found : found);
    }
    return first;
  }

  /** The first two powers of two have a cell for each number. */
  private static int cell(long nanos) {
    int shift = shift(nanos);
    return (shift << CELL_BITS) + (int) (nanos >>> shift);
  }

  private static int shift(long nanos) {
    int most = Long.SIZE - 1 - CELL_BITS;
    return Math.max(0, most - Long.numberOfLeadingZeros(nanos | (1 << CELL_BITS)));
  }

  /** The least duration of a cell. */
  private static long least(int cell) {
    if (cell < 2 << CELL_BITS) {
      return cell;
    }
    int shift = (cell >>> CELL_BITS) - 1;
    return (long) (cell - (shift << CELL_BITS)) << shift;
  }
}
