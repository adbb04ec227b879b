package io.nereid.scheduler;

import io.nereid.error.InferenceException;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.ResponseOrder;
import io.nereid.policy.Ticket;
import org.jspecify.annotations.Nullable;

/** A request that a scheduler has, with its ticket; what is run when it is called off. */
final class QueuedRequest implements Runnable {
  private final PendingRequest request;
  private final Ticket ticket;
  private final SchedulerLoop scheduler;
  private ResponseOrder.@Nullable Place place;

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
  static QueuedRequest of(Ticket ticket) {
    return (QueuedRequest) ticket.request();
  }

  PendingRequest request() {
    return request;
  }

  /** Takes the request's place in the order of answers. */
  void enter(ResponseOrder order) {
    place = order.enter(request.promise());
  }

  /** The request will not run: it ends, at once and out of order, with its inputs given back. */
  void fail(InferenceException reason) {
    if (place != null) {
      place.leave();
    }
    request.close();
    request.promise().fail(reason);
  }

  Ticket ticket() {
    return ticket;
  }

  @Override
  public void run() {
    scheduler.cancelled(ticket);
  }
}
