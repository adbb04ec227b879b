package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.engine.scheduling.policy.ExecutionTimes;

/**
 * The batches that an instance executes, in the order of their dispatch: one, or several if it is
 * pipelined.
 */
final class BatchesInFlight {
  /** A ring of the rows of the batches; its length is a power of two. */
  private long[] rows = new long[2];

  /** The times of their dispatch. */
  private long[] starts = new long[2];

  private int first;
  private int size;

  /** When the batch before the first one was executed. */
  private long lastEnd;

  void add(long newRows, long now) {
    if (size == rows.length) {
      grow();
    }
    int index = (first + size) & (rows.length - 1);
    rows[index] = newRows;
    starts[index] = now;
    size++;
  }

  private void grow() {
    long[] newRows = new long[2 * size];
    long[] newStarts = new long[2 * size];
    for (int i = 0; i < size; i++) {
      newRows[i] = rows[(first + i) & (size - 1)];
      newStarts[i] = starts[(first + i) & (size - 1)];
    }
    rows = newRows;
    starts = newStarts;
    first = 0;
  }

  /** The rows of the first batch; there must be one. */
  long firstRows() {
    return rows[first];
  }

  /** Removes the first batch, which was executed; returns for how long it occupied the instance. */
  long removeFirst(long now) {
    long occupied = now - firstStart();
    first = (first + 1) & (rows.length - 1);
    size--;
    lastEnd = now;
    return occupied;
  }

  private long firstStart() {
    return Math.max(starts[first], lastEnd);
  }

  /**
   * How long the batches will take from now on. Batches that take longer than expected are taken to
   * need as much time again as they are late.
   */
  long remainingNanos(ExecutionTimes times, long now) {
    if (size == 0) {
      return 0;
    }
    long expected = 0;
    for (int i = 0; i < size; i++) {
      expected += times.nanos(rows[(first + i) & (rows.length - 1)]);
    }
    return Math.abs(expected - (now - firstStart()));
  }
}
