package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The admission of requests by the wait that is predicted for them. A request has up to three
 * limits: the client's deadline, before which its batch must have been executed; the client's
 * timeout, which limits its wait, as in Triton; and the server's limit of the wait. It is refused
 * if its wait reaches the smallest of them, but never if it can start at once: executions must go
 * on, or a measurement that is out of date would never be corrected. A step of an ensemble is not
 * refused, since the ensemble's request was admitted.
 *
 * @param maxWaitNanos the server's limit; {@link Ticket#NEVER} for none
 */
public record WaitLimit(long maxWaitNanos) {
  /** One divided by the share of a deadline that is not used. */
  private static final int RESERVE = 3;

  /**
   * Whether a request has a limit, so that its wait must be predicted.
   *
   * @param timeoutMicros unsigned; 0 for none
   */
  public boolean concerns(Ticket ticket, long timeoutMicros) {
    return (maxWaitNanos != Ticket.NEVER
            || ticket.deadlineNanos() != Ticket.NEVER
            || timeoutMicros != 0)
        && !ticket.isStep();
  }

  /** When the server's limit of a waiting request passes; {@link Ticket#NEVER} for never. */
  public long expiry(Ticket ticket) {
    boolean limited = maxWaitNanos != Ticket.NEVER && !ticket.isStep();
    return limited ? Times.plus(ticket.arrivalNanos(), maxWaitNanos) : Ticket.NEVER;
  }

  /**
   * Returns the refusal of a request; null to admit it.
   *
   * @param timeoutMicros unsigned; 0 for none
   * @param waitNanos how long it would wait
   * @param executionNanos how long its batch would take
   */
  public @Nullable PredictedWait refusal(
      Ticket ticket,
      long timeoutMicros,
      long waitNanos,
      long executionNanos,
      long requestsAhead,
      long now) {
    long latestStart = expiry(ticket);
    if (timeoutMicros != 0) {
      latestStart = Math.min(latestStart, Times.after(ticket.arrivalNanos(), timeoutMicros));
    }
    long left = ticket.deadlineNanos() - executionNanos - now;
    long limit = Math.max(0, Math.min(latestStart - now, left - left / RESERVE));
    return waitNanos > 0 && waitNanos >= limit
        ? new PredictedWait(waitNanos, limit, requestsAhead)
        : null;
  }
}
