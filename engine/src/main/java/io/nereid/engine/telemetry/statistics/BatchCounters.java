package io.nereid.engine.telemetry.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The executions of an instance by batch size; written by one thread, read by any. Distinct sizes
 * are few, so they are kept in a sorted table that is replaced when a size occurs first.
 */
final class BatchCounters {
  enum Kind {
    EXECUTIONS,
    INPUT_NANOS,
    INFER_NANOS,
    OUTPUT_NANOS
  }

  private static final class Table {
    /** Ascending. */
    final long[] sizes;

    /** At the index of their size. */
    final List<Counters<Kind>> counters;

    Table(long[] sizes, List<Counters<Kind>> counters) {
      this.sizes = sizes;
      this.counters = counters;
    }
  }

  private volatile Table table = new Table(new long[0], List.of());

  void add(long size, long inputNanos, long inferNanos, long outputNanos) {
    Counters<Kind> counters = of(size);
    counters.add(Kind.EXECUTIONS, 1);
    counters.add(Kind.INPUT_NANOS, inputNanos);
    counters.add(Kind.INFER_NANOS, inferNanos);
    counters.add(Kind.OUTPUT_NANOS, outputNanos);
  }

  void addAll(BatchCounters other) {
    Table added = other.table;
    for (int i = 0; i < added.sizes.length; i++) {
      of(added.sizes[i]).addAll(added.counters.get(i));
    }
  }

  private Counters<Kind> of(long size) {
    Table current = table;
    int found = Arrays.binarySearch(current.sizes, size);
    if (found >= 0) {
      return current.counters.get(found);
    }
    int index = -1 - found;
    long[] sizes = Arrays.copyOf(current.sizes, current.sizes.length + 1);
    System.arraycopy(current.sizes, index, sizes, index + 1, current.sizes.length - index);
    sizes[index] = size;
    var added = new Counters<>(Kind.class);
    List<Counters<Kind>> counters = new ArrayList<>(current.counters);
    counters.add(index, added);
    table = new Table(sizes, counters);
    return added;
  }

  NavigableMap<Long, StatisticsSnapshot.Batches> bySize() {
    Table current = table;
    NavigableMap<Long, StatisticsSnapshot.Batches> bySize = new TreeMap<>();
    for (int i = 0; i < current.sizes.length; i++) {
      Counters<Kind> counters = current.counters.get(i);
      bySize.put(
          current.sizes[i],
          new StatisticsSnapshot.Batches(
              counters.duration(Kind.EXECUTIONS, Kind.INPUT_NANOS),
              counters.duration(Kind.EXECUTIONS, Kind.INFER_NANOS),
              counters.duration(Kind.EXECUTIONS, Kind.OUTPUT_NANOS)));
    }
    return bySize;
  }
}
