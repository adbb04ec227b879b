package io.nereid.server.telemetry.statistics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Numbers that one thread adds to and any thread reads. A reader sees each number whole and soon,
 * and with it all that was written before it; what is written after it may be missing.
 *
 * @param <E> what is counted
 */
@SuppressWarnings("EnumOrdinal") // the place in an array that nobody else sees
final class Counters<E extends Enum<E>> {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells;

  Counters(Class<E> kinds) {
    cells = new long[kinds.getEnumConstants().length];
  }

  /** By the one thread that writes. */
  void add(E kind, long delta) {
    int i = kind.ordinal();
    CELL.setRelease(cells, i, cells[i] + delta);
  }

  /** By the one thread that writes. */
  void set(E kind, long value) {
    CELL.setRelease(cells, kind.ordinal(), value);
  }

  /** Adds all of the other's numbers; by the one thread that writes these. */
  void addAll(Counters<E> other) {
    for (int i = 0; i < cells.length; i++) {
      CELL.setRelease(cells, i, cells[i] + (long) CELL.getAcquire(other.cells, i));
    }
  }

  /** From any thread. */
  long get(E kind) {
    return (long) CELL.getAcquire(cells, kind.ordinal());
  }

  /** Two of the numbers as what they mean together. */
  StatisticDuration duration(E count, E nanos) {
    return new StatisticDuration(get(count), get(nanos));
  }
}
