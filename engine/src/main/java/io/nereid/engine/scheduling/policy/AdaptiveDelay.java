package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/**
 * Skips the batching delay while it is useless. {@code max_queue_delay_microseconds} is an upper
 * limit: after {@link #MAX_LONE_EXPIRIES} consecutive delays that expired with one request only, a
 * single request is dispatched at once. The delay applies again as soon as a batch has several
 * requests, or a request arrives that would have joined one dispatched early.
 *
 * <p>A request that arrives after the model has ended does not count: a client that sends one
 * request at a time may have its response by then. Its arrival can be reported before the end of
 * the execution, so the decision is made at {@link #executed}.
 */
public final class AdaptiveDelay {
  /** Consecutive delays that expire with one request before the delay is skipped. */
  public static final int MAX_LONE_EXPIRIES = 16;

  private int loneExpiries;

  /** When the delay would have expired that was skipped last; -1 if none was since executed. */
  private long skippedUntil = -1;

  /**
   * Arrival of the first request before {@link #skippedUntil}; it may have been in time to join.
   */
  private long joinerNanos = Ticket.NEVER;

  public boolean isSkipped() {
    return loneExpiries >= MAX_LONE_EXPIRIES;
  }

  /** A request has arrived at that time. */
  public void arrived(long nanos) {
    if (nanos < skippedUntil) {
      joinerNanos = Math.min(joinerNanos, nanos);
    }
  }

  /**
   * An instance has executed its batch. Later requests may be caused by its responses.
   *
   * @param endNanos when the model had ended
   */
  public void executed(long endNanos) {
    if (joinerNanos < endNanos) {
      loneExpiries = 0;
    }
    skippedUntil = -1;
    joinerNanos = Ticket.NEVER;
  }

  /**
   * A batch is dispatched.
   *
   * @param due when the delay of its oldest request expires
   */
  public void dispatched(int requests, DispatchReason reason, long due) {
    if (requests > 1) {
      loneExpiries = 0;
    } else if (reason == DispatchReason.DELAY_PASSED) {
      loneExpiries = Math.min(MAX_LONE_EXPIRIES, loneExpiries + 1);
    } else if (reason == DispatchReason.DELAY_SKIPPED) {
      skippedUntil = due;
    }
  }
}
