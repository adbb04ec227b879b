package io.nereid.engine.telemetry.statistics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * Counters that one thread writes and any thread reads. A reader sees each counter whole, and with
 * it all writes before it; later writes may be missing.
 *
 * @param <E> the counters' names
 */
@SuppressWarnings("EnumOrdinal") // an index that does not leave this class
final class Counters<E extends Enum<E>> {
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final Class<E> kinds;
  private final long[] cells;

  Counters(Class<E> kinds) {
    this.kinds = kinds;
    cells = new long[kinds.getEnumConstants().length];
  }

  /** Called by the writing thread only. */
  void add(E kind, long delta) {
    int i = kind.ordinal();
    CELL.setRelease(cells, i, cells[i] + delta);
  }

  /** Called by the writing thread only. */
  void set(E kind, long value) {
    CELL.setRelease(cells, kind.ordinal(), value);
  }

  /** Adds the counters of {@code other} to these; called by the thread that writes these. */
  void addAll(Counters<E> other) {
    for (int i = 0; i < cells.length; i++) {
      CELL.setRelease(cells, i, cells[i] + (long) CELL.getAcquire(other.cells, i));
    }
  }

  /** Called by any thread. */
  long get(E kind) {
    return (long) CELL.getAcquire(cells, kind.ordinal());
  }

  /** All of them; called by any thread. */
  Map<E, Long> all() {
    Map<E, Long> all = new EnumMap<>(kinds);
    for (E kind : kinds.getEnumConstants()) {
      all.put(kind, get(kind));
    }
    return all;
  }

  StatisticsSnapshot.DurationSum duration(E count, E nanos) {
    return new StatisticsSnapshot.DurationSum(get(count), get(nanos));
  }
}
