package io.nereid.server.telemetry.statistics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * How often which duration came, in microseconds: written by one thread, read by any. Each power of
 * two has 64 cells, so that a quantile is exact to 0.8 %, whatever the durations are.
 */
final class LatencyHistogram {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int CELL_BITS = 6;
  private static final int CELLS = 1 << CELL_BITS;

  /** Longer ones count as that long: twelve days. */
  private static final long MAX_MICROS = (1L << 40) - 1;

  private final int[] counts = new int[index(MAX_MICROS) + 1];

  /** By the one thread that writes. */
  void add(long micros) {
    int i = index(Math.clamp(micros, 0, MAX_MICROS));
    CELL.setOpaque(counts, i, counts[i] + 1);
  }

  /** By the one thread that writes. */
  void clear() {
    Arrays.fill(counts, 0);
  }

  /** Adds what the other has; by the one thread that writes this one. */
  void addAll(LatencyHistogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += (int) CELL.getOpaque(other.counts, i);
    }
  }

  /**
   * The duration that {@code share} of all are not longer than; empty if there was none.
   *
   * @param share from 0 to 1
   */
  OptionalLong quantile(double share) {
    long total = 0;
    for (int count : counts) {
      total += count;
    }
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
