package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/**
 * Limits a batch to what can be executed before the deadlines of its requests: all of them end with
 * the batch, so one that joins delays those before it. A deadline that a request would miss even
 * alone does not limit the batch.
 */
final class BatchDeadline {
  /** One divided by the share of the time left that is not used. */
  private static final int RESERVE = 8;

  private final ExecutionTimes times;
  private long now;

  /** The earliest deadline of the batch that can be met. */
  private long earliest = Ticket.NEVER;

  /**
   * @param times without a measurement, no batch is limited
   */
  BatchDeadline(ExecutionTimes times) {
    this.times = times;
  }

  /** Begins a batch with its first request. */
  void begin(Ticket first, long batchNow) {
    now = batchNow;
    earliest = attainable(first);
  }

  /**
   * Whether a request may join the batch; if not, the batch ends before it.
   *
   * @param rows of the batch with the request
   */
  boolean joins(Ticket next, long rows) {
    long deadline = Math.min(earliest, attainable(next));
    if (deadline != Ticket.NEVER && !isMet(deadline, rows)) {
      return false;
    }
    earliest = deadline;
    return true;
  }

  private long attainable(Ticket ticket) {
    long deadline = ticket.deadlineNanos();
    return deadline != Ticket.NEVER && isMet(deadline, ticket.rows()) ? deadline : Ticket.NEVER;
  }

  private boolean isMet(long deadline, long rows) {
    long left = deadline - now;
    return times.nanos(rows) <= left - left / RESERVE;
  }
}
