package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;
import io.nereid.server.request.TicketQueue;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forms one batch of the requests that wait, by the rules of Triton's dynamic batcher.
 *
 * <p>Requests are taken in order and never split, skipped or reordered: the first one that does not
 * fit ends the batch. The largest reachable preferred size goes at once. Otherwise a batch goes if
 * nothing more could join it, if it is as large as the largest preferred size, or if its oldest
 * request has waited for the maximum delay; until then it waits for company.
 *
 * <p>A batch is formed for an instance that asks for one, never ahead of time: so whoever comes
 * before an instance can start joins, which is what Triton's batches that grow while they wait come
 * to.
 */
public final class BatchFormer {
  private final BitSet preferred = new BitSet();
  private final long maxPreferred;

  /** Why a batch goes that is large enough. */
  private final DispatchReason large;

  private final long maxRows;
  private final long maxDelayMicros;
  private final BatchingRule rule;
  private final AdaptiveDelay patience;

  private Ticket[] batch = new Ticket[16];
  private int size;
  private DispatchReason reason = DispatchReason.NO_DELAY;
  private long waitUntil = Ticket.NEVER;

  /** When the oldest request of the batch has waited for the maximum delay. */
  private long due = Ticket.NEVER;

  /**
   * Makes a former of no batch yet.
   *
   * @param maxBatchSize 0: requests run one by one
   */
  public BatchFormer(
      List<Integer> preferredBatchSizes,
      long maxDelayMicros,
      int maxBatchSize,
      BatchingRule rule,
      AdaptiveDelay patience) {
    preferredBatchSizes.forEach(preferred::set);
    this.maxPreferred = preferred.length() - 1L;
    this.large = preferred.isEmpty() ? DispatchReason.NO_DELAY : DispatchReason.PREFERRED_SIZE;
    this.maxRows = Math.max(1, maxBatchSize);
    this.maxDelayMicros = maxDelayMicros;
    this.rule = rule;
    this.patience = patience;
  }

  /** The requests to dispatch, in order; the first {@link #size} count. */
  public Ticket[] batch() {
    return batch;
  }

  /** How many requests to dispatch; 0: wait. */
  public int size() {
    return size;
  }

  public DispatchReason reason() {
    return reason;
  }

  /** When to form again, if nothing happens before. */
  public long waitUntil() {
    return waitUntil;
  }

  /**
   * Forms a batch; the requests stay where they wait.
   *
   * @param first the request at the front of the queue; null: there is none
   */
  public void form(@Nullable Ticket first, long now) {
    int taken = 0;
    long rows = 0;
    int mark = 0; // requests up to the largest preferred size so far
    boolean marked = false;
    @Nullable DispatchReason closed = null; // why nothing more can join
    long oldest = Ticket.NEVER;
    for (Ticket ticket = first; ticket != null; ticket = TicketQueue.after(ticket)) {
      if (taken == 0) {
        rule.begin(ticket);
      } else {
        if (rows + ticket.rows() > maxPreferred && !marked) {
          mark = taken;
          marked = true;
        }
        closed = whyNotJoin(ticket, rows);
        if (closed != null) {
          break;
        }
      }
      add(taken, ticket);
      taken++;
      rows += ticket.rows();
      oldest = Math.min(oldest, ticket.enqueuedNanos);
      if (rows <= maxPreferred && preferred.get((int) rows)) {
        mark = taken;
        marked = true;
      }
    }
    due = Times.after(oldest, maxDelayMicros);
    choose(taken, rows, marked ? mark : 0, closed, now);
    Arrays.fill(batch, size, taken, null);
  }

  /** Forgets the batch, or it would keep its requests alive. */
  public void forget() {
    Arrays.fill(batch, 0, size, null);
    size = 0;
  }

  private @Nullable DispatchReason whyNotJoin(Ticket ticket, long rows) {
    if (rows + ticket.rows() > maxRows) {
      return DispatchReason.MAX_BATCH_SIZE;
    }
    if (!ticket.batchKey().equals(batch[0].batchKey())) {
      return DispatchReason.NEXT_DIFFERS;
    }
    return rule.joins(ticket) ? null : DispatchReason.STRATEGY;
  }

  private void choose(int taken, long rows, int mark, @Nullable DispatchReason closed, long now) {
    size = taken;
    waitUntil = Ticket.NEVER;
    boolean late = maxDelayMicros != 0 && now >= due;
    if (taken == 0) {
      return;
    }
    if (mark != 0 && !late) {
      size = mark;
      reason = large;
    } else if (closed != null) {
      reason = late ? DispatchReason.DELAY_PASSED : closed;
    } else if (rows >= maxPreferred) {
      reason = late ? DispatchReason.DELAY_PASSED : large;
    } else if (late) {
      reason = DispatchReason.DELAY_PASSED;
    } else if (maxDelayMicros == 0) {
      reason = DispatchReason.NO_DELAY;
    } else if (taken == 1 && patience.isOver()) {
      reason = DispatchReason.WAITED_IN_VAIN;
    } else {
      size = 0;
      waitUntil = due;
    }
  }

  /** The batch goes as it was formed. */
  public void dispatched() {
    patience.dispatched(size, reason, due);
  }

  private void add(int index, Ticket ticket) {
    if (index == batch.length) {
      batch = Arrays.copyOf(batch, index * 2);
    }
    batch[index] = ticket;
  }
}
