package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.DispatchReason;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The first requests that are considered for a batch and form it, by the algorithm of the
 * specification, line by line.
 *
 * @param size how many of the requests that are considered
 * @param waits whether they wait for further requests
 * @param reason {@link DispatchReason#DELAY_PASSED}, or any other
 * @param due when the maximum delay of the oldest of them expires
 */
record ReferenceBatch(int size, boolean waits, DispatchReason reason, long due) {
  /**
   * Forms a batch.
   *
   * @param queue in the order in which they are considered
   * @param executionNanos how long a batch with so many rows takes; 0 if that is not known
   */
  static ReferenceBatch form(
      List<Ticket> queue,
      long now,
      BatchingSettings settings,
      int maxRows,
      @Nullable BatchCostSettings costs,
      int maxWeight,
      LongUnaryOperator executionNanos) {
    long delay = settings.maxQueueDelayMicros();
    int maxPreferred = settings.preferredBatchSizes().stream().max(Integer::compare).orElse(0);
    boolean sendNow = false;
    int taken = 0;
    long pending = 0;
    int weight = 0;
    long best = 0;
    int mark = 0;
    for (Ticket next : queue) {
      long rows = next.rows();
      if (taken > 0) {
        if (pending + rows > maxPreferred && best == 0) {
          best = pending;
          mark = taken;
        }
        if (pending + rows > maxRows) {
          sendNow = true;
          break;
        }
        if (!next.batchKey().equals(queue.getFirst().batchKey())) {
          sendNow = true;
          break;
        }
        List<Ticket> withNext = queue.subList(0, taken + 1);
        if (costs != null && !ReferenceCost.of(withNext, costs).isAllowed()) {
          sendNow = true;
          break;
        }
        if (missesDeadline(withNext, now, executionNanos)) {
          sendNow = true;
          break;
        }
        if (maxWeight > 0 && weight + WeightRule.weight(next) > maxWeight) {
          sendNow = true;
          break;
        }
      }
      pending += rows;
      weight += maxWeight > 0 ? WeightRule.weight(next) : 0;
      taken++;
      if (settings.preferredBatchSizes().contains(Math.toIntExact(pending))) {
        best = pending;
        mark = taken;
      }
    }
    sendNow |= costs != null && ReferenceCost.isFull(queue.subList(0, taken), costs);
    long oldest =
        queue.subList(0, taken).stream().mapToLong(Ticket::arrivalNanos).min().orElseThrow();
    long due = ReferenceTimes.plusMicros(oldest, delay);
    boolean late = delay != 0 && due <= now;
    if (best != 0 && !late) {
      return new ReferenceBatch(mark, false, DispatchReason.PREFERRED_SIZE, due);
    }
    if (late) {
      return new ReferenceBatch(taken, false, DispatchReason.DELAY_PASSED, due);
    }
    boolean goes = sendNow || pending >= maxPreferred || delay == 0;
    return new ReferenceBatch(taken, !goes, DispatchReason.NO_DELAY, due);
  }

  /** Whether a batch ends after a deadline that one of its requests would meet alone. */
  private static boolean missesDeadline(
      List<Ticket> batch, long now, LongUnaryOperator executionNanos) {
    long all = executionNanos.applyAsLong(batch.stream().mapToLong(Ticket::rows).sum());
    return batch.stream()
        .filter(each -> each.deadlineNanos() != Ticket.NEVER)
        .anyMatch(each -> {
          long left = each.deadlineNanos() - now;
          long usable = left - left / 8;
          return executionNanos.applyAsLong(each.rows()) <= usable && all > usable;
        });
  }

  /** The same batch, dispatched now. */
  ReferenceBatch sent(DispatchReason newReason) {
    return new ReferenceBatch(size, false, newReason, due);
  }
}
