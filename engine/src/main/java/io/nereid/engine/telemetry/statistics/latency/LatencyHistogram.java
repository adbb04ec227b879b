package io.nereid.engine.telemetry.statistics.latency;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * A histogram of durations in microseconds; written by one thread, read by any. Each power of two
 * has 64 cells, so a quantile is exact to 0.8 % for durations of any size.
 */
final class LatencyHistogram {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int CELL_BITS = 6;
  private static final int CELLS = 1 << CELL_BITS;

  /** Twelve days; longer durations are counted as this one. */
  private static final long MAX_MICROS = (1L << 40) - 1;

  private final int[] counts = new int[index(MAX_MICROS) + 1];

  /** Called by the writing thread only. */
  void add(long micros) {
    int i = index(Math.clamp(micros, 0, MAX_MICROS));
    CELL.setOpaque(counts, i, counts[i] + 1);
  }

  /** Called by the writing thread only. */
  void clear() {
    Arrays.fill(counts, 0);
  }

  /** Adds the counts of {@code other}; called by the thread that writes this histogram. */
  void addAll(LatencyHistogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += (int) CELL.getOpaque(other.counts, i);
    }
  }

  /**
   * The duration that {@code share} of all durations do not exceed; empty if there are none.
   *
   * @param share from 0 to 1
   */
  OptionalLong quantile(double share) {
    long total = Arrays.stream(counts).asLongStream().sum();
    long rank = Math.max(1, (long) Math.ceil(share * total));
    for (int i = 0; i < counts.length; i++) {
      rank -= counts[i];
      if (rank <= 0) {
        return OptionalLong.of(middle(i));
      }
    }
    return OptionalLong.empty();
  }

  /** The first two powers of two have a cell for each number. */
  private static int index(long micros) {
    int shift = Math.max(0, Long.SIZE - 1 - CELL_BITS - Long.numberOfLeadingZeros(micros | CELLS));
    return (shift << CELL_BITS) + (int) (micros >>> shift);
  }

  private static long middle(int index) {
    if (index < 2 * CELLS) {
      return index;
    }
    int shift = (index >>> CELL_BITS) - 1;
    return ((long) (index - (shift << CELL_BITS)) << shift) + (1L << (shift - 1));
  }
}
