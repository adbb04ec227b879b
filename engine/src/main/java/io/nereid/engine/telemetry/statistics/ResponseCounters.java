package io.nereid.engine.telemetry.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The responses of a decoupled model by index; written by one thread, read by any. */
final class ResponseCounters {
  enum Kind {
    INFER_COUNT,
    INFER_NANOS,
    OUTPUT_COUNT,
    OUTPUT_NANOS,
    SUCCESS_COUNT,
    SUCCESS_NANOS,
    FAIL_COUNT,
    FAIL_NANOS,
    EMPTY_COUNT,
    EMPTY_NANOS,
    CANCEL_COUNT,
    CANCEL_NANOS
  }

  private static final int FIRST_CAPACITY = 4;

  /** By index; the elements behind the last index that occurred are null. */
  private volatile AtomicReferenceArray<Counters<Kind>> table =
      new AtomicReferenceArray<>(FIRST_CAPACITY);

  void add(int index, ResponseOutcome outcome, long inferNanos, long outputNanos) {
    Counters<Kind> counters = of(index);
    long nanos = inferNanos + outputNanos;
    switch (outcome) {
      case SUCCESS -> {
        count(counters, Kind.INFER_COUNT, Kind.INFER_NANOS, inferNanos);
        count(counters, Kind.OUTPUT_COUNT, Kind.OUTPUT_NANOS, outputNanos);
        count(counters, Kind.SUCCESS_COUNT, Kind.SUCCESS_NANOS, nanos);
      }
      case FAIL -> {
        count(counters, Kind.INFER_COUNT, Kind.INFER_NANOS, nanos);
        count(counters, Kind.FAIL_COUNT, Kind.FAIL_NANOS, nanos);
      }
      case EMPTY -> {
        count(counters, Kind.INFER_COUNT, Kind.INFER_NANOS, nanos);
        count(counters, Kind.EMPTY_COUNT, Kind.EMPTY_NANOS, nanos);
      }
      case CANCEL -> count(counters, Kind.CANCEL_COUNT, Kind.CANCEL_NANOS, nanos);
    }
  }

  private static void count(Counters<Kind> counters, Kind count, Kind sum, long nanos) {
    counters.add(sum, nanos);
    counters.add(count, 1);
  }

  void addAll(ResponseCounters other) {
    var added = other.table;
    for (int i = 0; i < added.length() && added.get(i) != null; i++) {
      of(i).addAll(added.get(i));
    }
  }

  /** The counters of an index; those of the indices before it exist. */
  private Counters<Kind> of(int index) {
    var current = table;
    if (index == current.length()) {
      var larger = new AtomicReferenceArray<Counters<Kind>>(2 * current.length());
      for (int i = 0; i < current.length(); i++) {
        larger.set(i, current.get(i));
      }
      table = larger;
      current = larger;
    }
    if (current.get(index) == null) {
      current.set(index, new Counters<>(Kind.class));
    }
    return Objects.requireNonNull(current.get(index));
  }

  List<StatisticsSnapshot.Responses> byIndex() {
    var current = table;
    List<StatisticsSnapshot.Responses> byIndex = new ArrayList<>();
    for (int i = 0; i < current.length() && current.get(i) != null; i++) {
      Counters<Kind> counters = current.get(i);
      byIndex.add(
          new StatisticsSnapshot.Responses(
              counters.duration(Kind.INFER_COUNT, Kind.INFER_NANOS),
              counters.duration(Kind.OUTPUT_COUNT, Kind.OUTPUT_NANOS),
              counters.duration(Kind.SUCCESS_COUNT, Kind.SUCCESS_NANOS),
              counters.duration(Kind.FAIL_COUNT, Kind.FAIL_NANOS),
              counters.duration(Kind.EMPTY_COUNT, Kind.EMPTY_NANOS),
              counters.duration(Kind.CANCEL_COUNT, Kind.CANCEL_NANOS)));
    }
    return byIndex;
  }
}
