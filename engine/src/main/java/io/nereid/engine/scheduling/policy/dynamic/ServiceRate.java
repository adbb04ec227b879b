package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.engine.scheduling.policy.ExecutionTimes;
import java.util.Arrays;
import java.util.BitSet;

/**
 * How fast the instances of a model serve its queue, measured by what its policy dispatches and
 * what is reported as executed.
 *
 * <p>A batch occupies its instance from its dispatch until it was executed, or from when the batch
 * before it was, if that is later: so the batches of a pipelined instance, which overlap, count
 * with the time by which each delays the next one.
 *
 * <p>How many rows a batch has while requests wait depends on the model's settings and on which
 * requests may share one. It is measured as well: {@link #fullRows} is a moving average over the
 * batches that left requests in the queue.
 */
final class ServiceRate {
  /** The weight of a measurement is one divided by this. */
  private static final double SMOOTHING = 8;

  private final ExecutionTimes times;
  private final BitSet active = new BitSet();

  /** The instances whose first batch was not executed to its end. */
  private final BitSet cutShort = new BitSet();

  private BatchesInFlight[] inFlight = new BatchesInFlight[4];

  /** The remaining times of the active instances, in ascending order; reused. */
  private long[] remaining = new long[4];

  private int instances;
  private double fullRows;

  /**
   * @param maxRows of a batch
   * @param times to which executions are added
   */
  ServiceRate(long maxRows, ExecutionTimes times) {
    this.times = times;
    fullRows = maxRows;
  }

  void added(int instance) {
    if (instance >= inFlight.length) {
      inFlight = Arrays.copyOf(inFlight, 2 * instance);
      remaining = new long[2 * instance];
    }
    if (inFlight[instance] == null) {
      inFlight[instance] = new BatchesInFlight();
    }
    active.set(instance);
    instances = active.cardinality();
  }

  /** An instance gets no further batches. */
  void removed(int instance) {
    active.clear(instance);
    instances = active.cardinality();
  }

  /**
   * A batch was dispatched.
   *
   * @param leftRequests whether requests wait that are not in it
   */
  void dispatched(int instance, long rows, boolean leftRequests, long now) {
    inFlight[instance].add(rows, now);
    if (leftRequests) {
      fullRows += (rows - fullRows) / SMOOTHING;
    }
  }

  /** The first batch of an instance was not executed to its end. */
  void cutShort(int instance) {
    cutShort.set(instance);
  }

  /** An instance has executed the first of its batches. */
  void executed(int instance, long now) {
    BatchesInFlight batches = inFlight[instance];
    long rows = batches.firstRows();
    long nanos = batches.removeFirst(now);
    if (cutShort.get(instance)) {
      cutShort.clear(instance);
      times.addAtLeast(rows, nanos);
    } else {
      times.add(rows, nanos);
    }
  }

  /** Whether waits can be predicted: there is an instance, and it has executed a batch. */
  boolean isMeasured() {
    return instances > 0 && times.isMeasured();
  }

  /**
   * How long a request waits until its batch starts: the instance that becomes free after as many
   * batches were started as the rows ahead of it fill.
   */
  long waitNanos(long rowsAhead, long now) {
    int count = 0;
    for (int i = active.nextSetBit(0); i >= 0; i = active.nextSetBit(i + 1)) {
      insert(inFlight[i].remainingNanos(times, now), count);
      count++;
    }
    long batches = rowsAhead / roundedRows();
    return remaining[(int) (batches % count)] + batches / count * times.nanos(roundedRows());
  }

  private void insert(long nanos, int count) {
    int index = count;
    while (index > 0 && remaining[index - 1] > nanos) {
      remaining[index] = remaining[index - 1];
      index--;
    }
    remaining[index] = nanos;
  }

  /** How long the batch of a request takes. */
  long executionNanos(long rowsAhead, long rows) {
    return times.nanos(Math.max(rows, Math.min(roundedRows(), rowsAhead % roundedRows() + rows)));
  }

  private long roundedRows() {
    return Math.max(1, Math.round(fullRows));
  }
}
