package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;

/**
 * Whether a lone request should wait for company. {@code max_queue_delay_microseconds} is the
 * longest that it may wait: where waiting has brought nothing for {@link #VAIN_WAITS} times in a
 * row, it goes at once, until a request comes that would have been in time to join.
 *
 * <p>A request that comes once the model has ended proves nothing: a client that sends one at a
 * time may have its answer by then, and could not have sent it earlier. Such a request can overtake
 * the news of the execution's end, so the verdict waits for that news.
 */
public final class AdaptiveDelay {
  /** Waits in vain, in a row, that end the patience. */
  static final int VAIN_WAITS = 16;

  private int vainWaits;

  /** Until when the request that last went without waiting would have waited. */
  private long wouldHaveWaitedUntil = -1;

  /** When the first request came that may have been in time to join it. */
  private long company = Ticket.NEVER;

  boolean isOver() {
    return vainWaits >= VAIN_WAITS;
  }

  /** A request has come at that time. */
  public void arrived(long nanos) {
    if (nanos < wouldHaveWaitedUntil) {
      company = Math.min(company, nanos);
    }
  }

  /**
   * An instance has executed its batch: what comes from now on may be its answers' doing.
   *
   * @param endNanos when the model had ended
   */
  public void executed(long endNanos) {
    if (company < endNanos) {
      vainWaits = 0;
    }
    wouldHaveWaitedUntil = -1;
    company = Ticket.NEVER;
  }

  /**
   * A batch goes.
   *
   * @param due when its oldest request would have waited for the maximum delay
   */
  void dispatched(int requests, DispatchReason reason, long due) {
    if (requests > 1) {
      vainWaits = 0;
    } else if (reason == DispatchReason.DELAY_PASSED) {
      vainWaits = Math.min(VAIN_WAITS, vainWaits + 1);
    } else if (reason == DispatchReason.WAITED_IN_VAIN) {
      wouldHaveWaitedUntil = due;
    }
  }
}
