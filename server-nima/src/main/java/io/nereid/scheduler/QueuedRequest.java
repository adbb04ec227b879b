package io.nereid.scheduler;

import io.nereid.exchange.PendingRequest;
import io.nereid.policy.Ticket;

/** A request that a scheduler has, with its ticket; what is run when it is called off. */
final class QueuedRequest implements Runnable {
  private final PendingRequest request;
  private final Ticket ticket;
  private final SchedulerLoop scheduler;

  QueuedRequest(PendingRequest request, Object batchKey, SchedulerLoop scheduler) {
    this.request = request;
    this.ticket =
        new Ticket(
            this,
            request.rows(),
            request.arrivalNanos(),
            request.deadlineNanos(),
            batchKey,
            request.request().options());
    this.scheduler = scheduler;
  }

  /** The request whose ticket it is. */
  static PendingRequest of(Ticket ticket) {
    return ((QueuedRequest) ticket.request()).request;
  }

  Ticket ticket() {
    return ticket;
  }

  @Override
  public void run() {
    scheduler.cancelled(ticket);
  }
}
