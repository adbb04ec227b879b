package io.nereid.engine.scheduling.policy;

import io.nereid.config.BatchCostSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batching algorithm of Triton's dynamic batcher, applied to the requests at the front of a
 * queue.
 *
 * <p>Requests are taken in order and never split or skipped: the first one that does not fit ends
 * the batch. The largest preferred size that can be reached is dispatched at once. Otherwise a
 * batch is dispatched if no further request can join it, if it is as large as the largest preferred
 * size, or if its oldest request has waited for the maximum delay. Unlike in Triton, a request
 * cannot join either if the batch would then end after a deadline: {@link BatchDeadline}; or, in a
 * model with such a limit, if it would cost too much: {@link BatchCost}. A model may let neighbours
 * in weight come before others: {@link NeighbourOrder}.
 *
 * <p>A batch is formed when an instance is ready, not earlier. A request that arrives before that
 * joins, as it joins a pending batch in Triton.
 */
public final class BatchFormer {
  /** The preferred sizes in ascending order. */
  private final int[] preferred;

  private final long maxPreferred;

  /** The reason of a batch that is large enough. */
  private final DispatchReason large;

  private final long maxRows;
  private final long maxDelayMicros;
  private final BatchingRule rule;
  private final BatchDeadline deadline;
  private final AdaptiveDelay adaptiveDelay;

  /** Null if the cost of a batch has no limit. */
  private final @Nullable BatchCost cost;

  /** Null if requests are taken in the order of the queue. */
  private final @Nullable NeighbourOrder neighbours;

  private final FormedBatch batch = new FormedBatch();

  /** When the maximum delay of the oldest request expires. */
  private long due = Ticket.NEVER;

  /**
   * Creates a former with an empty batch.
   *
   * @param maxBatchSize 0 for batches of one request
   * @param costs null if the cost of a batch has no limit
   * @param times of executions, against which deadlines are held; without a measurement, none is
   */
  public BatchFormer(
      List<Integer> preferredBatchSizes,
      long maxDelayMicros,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      BatchingRule rule,
      ExecutionTimes times,
      AdaptiveDelay adaptiveDelay) {
    this.preferred = preferredBatchSizes.stream().mapToInt(size -> size).sorted().toArray();
    this.maxPreferred = preferred.length == 0 ? -1 : preferred[preferred.length - 1];
    this.large = preferred.length == 0 ? DispatchReason.NO_DELAY : DispatchReason.PREFERRED_SIZE;
    this.maxRows = Math.max(1, maxBatchSize);
    this.maxDelayMicros = maxDelayMicros;
    this.rule = rule;
    this.deadline = new BatchDeadline(times);
    this.adaptiveDelay = adaptiveDelay;
    this.cost = costs == null ? null : new BatchCost(costs);
    this.neighbours =
        costs == null || costs.maxReorderingMicros() == 0
            ? null
            : new NeighbourOrder(costs.maxReorderingMicros(), maxRows);
  }

  /** The batch that {@link #form} has formed. */
  public FormedBatch batch() {
    return batch;
  }

  /**
   * Forms a batch. The requests stay in their queues.
   *
   * @param first the request at the front of the queue; null if the queue is empty
   */
  public void form(@Nullable Ticket first, long now) {
    if (neighbours == null || first == null) {
      formInOrder(first, now);
      return;
    }
    neighbours.begin(first);
    formInOrder(first, now);
    neighbours.end();
  }

  /**
   * The front of what the batch would leave in the queue if it were dispatched, to form the next
   * batch of it; null if it would leave nothing. Followed by {@link #release}.
   *
   * @param first the request at the front of the queue
   */
  public @Nullable Ticket following(@Nullable Ticket first) {
    if (neighbours == null) {
      return TicketQueue.after(batch.request(batch.size - 1));
    }
    neighbours.take(batch);
    return neighbours.next(first);
  }

  /** Forgets the batches that were formed ahead. */
  public void release() {
    if (neighbours != null) {
      neighbours.release();
    }
  }

  private @Nullable Ticket after(Ticket ticket, int taken) {
    return neighbours == null ? TicketQueue.after(ticket) : neighbours.at(taken);
  }

  private void formInOrder(@Nullable Ticket first, long now) {
    int taken = 0;
    long rows = 0;
    int mark = 0; // requests up to the largest preferred size so far
    boolean marked = false;
    @Nullable DispatchReason closed = null; // why no further request can join
    long oldest = Ticket.NEVER;
    for (Ticket ticket = first; ticket != null; ticket = after(ticket, taken)) {
      if (taken == 0) {
        rule.begin(ticket);
        deadline.begin(ticket, now);
        if (cost != null) {
          cost.clear();
        }
      } else {
        if (rows + ticket.rows() > maxPreferred && !marked) {
          mark = taken;
          marked = true;
        }
        closed = reasonToClose(ticket, rows);
        if (closed != null) {
          break;
        }
      }
      if (cost != null) {
        cost.add(ticket);
      }
      batch.set(taken, ticket);
      taken++;
      rows += ticket.rows();
      oldest = Math.min(oldest, ticket.enqueuedNanos);
      if (rows <= maxPreferred && Arrays.binarySearch(preferred, (int) rows) >= 0) {
        mark = taken;
        marked = true;
      }
    }
    if (cost != null && closed == null && cost.isFull()) {
      closed = DispatchReason.MAX_BATCH_COST;
    }
    due = Times.after(oldest, maxDelayMicros);
    choose(taken, rows, marked ? mark : 0, closed, now);
    Arrays.fill(batch.tickets, batch.size, taken, null);
  }

  private @Nullable DispatchReason reasonToClose(Ticket ticket, long rows) {
    if (rows + ticket.rows() > maxRows) {
      return DispatchReason.MAX_BATCH_SIZE;
    }
    if (!ticket.batchKey().equals(batch.request(0).batchKey())) {
      return DispatchReason.NEXT_DIFFERS;
    }
    if (cost != null) {
      DispatchReason reason = cost.reasonToClose(ticket);
      if (reason != null) {
        return reason;
      }
    }
    if (!deadline.joins(ticket, rows + ticket.rows())) {
      return DispatchReason.DEADLINE;
    }
    return rule.joins(ticket) ? null : DispatchReason.STRATEGY;
  }

  private void choose(int taken, long rows, int mark, @Nullable DispatchReason closed, long now) {
    batch.size = taken;
    batch.waitUntil = Ticket.NEVER;
    boolean late = maxDelayMicros != 0 && now >= due;
    if (taken == 0) {
      return;
    }
    if (mark != 0 && !late) {
      batch.size = mark;
      batch.reason = large;
    } else if (closed != null) {
      batch.reason = late ? DispatchReason.DELAY_PASSED : closed;
    } else if (rows >= maxPreferred) {
      batch.reason = late ? DispatchReason.DELAY_PASSED : large;
    } else if (late) {
      batch.reason = DispatchReason.DELAY_PASSED;
    } else if (maxDelayMicros == 0) {
      batch.reason = DispatchReason.NO_DELAY;
    } else if (taken == 1 && adaptiveDelay.isSkipped()) {
      batch.reason = DispatchReason.DELAY_SKIPPED;
    } else {
      batch.size = 0;
      batch.waitUntil = due;
    }
  }

  /** Records that the batch is dispatched as formed. */
  public void dispatched() {
    adaptiveDelay.dispatched(batch.size, batch.reason, due);
  }
}
