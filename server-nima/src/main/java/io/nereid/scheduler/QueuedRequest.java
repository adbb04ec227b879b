package io.nereid.scheduler;

import io.nereid.error.InferenceException;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.ResponseOrder;
import io.nereid.flight.QueuedEvent;
import io.nereid.instance.SequencePlace;
import io.nereid.instance.SequenceState;
import io.nereid.policy.Ticket;
import io.nereid.request.InferenceRequest;
import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * A request that a scheduler has, with its ticket, and its place in its sequence if it has one;
 * what is run when it is called off.
 */
final class QueuedRequest implements Runnable, SequencePlace {
  private final PendingRequest request;
  private final Ticket ticket;
  private final SchedulerLoop scheduler;
  private ResponseOrder.@Nullable Place place;
  private @Nullable SequenceState state;

  /** Not there if nobody records it, or once it has been. */
  private @Nullable QueuedEvent event = QueuedEvent.beginIfOn();

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
    if (request.isStep()) {
      ticket.asStep();
    }
    this.scheduler = scheduler;
  }

  /** Whose ticket it is. */
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

  /**
   * The request has left the queue, for the first time if it is run again and again.
   *
   * @param outcome {@code DISPATCHED}, or why it was refused
   */
  void left(String outcome, Clock clock) {
    if (event != null) {
      InferenceRequest left = request.request();
      event.record(left.model(), left.id(), clock.nanos() - request.arrivalNanos(), outcome);
      event = null;
    }
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

  /** Lends the request the state of its sequence, for its next execution. */
  void lend(@Nullable SequenceState sequenceState) {
    state = sequenceState;
  }

  @Override
  public SequenceId sequenceId() {
    return ticket.sequenceId();
  }

  @Override
  public boolean isFirst() {
    return ticket.sequenceStart();
  }

  @Override
  public boolean isLast() {
    return ticket.sequenceEnd();
  }

  @Override
  public @Nullable SequenceState state() {
    return state;
  }

  @Override
  public void run() {
    scheduler.cancelled(ticket);
  }

  /** The client's id of the request. */
  @Override
  public String toString() {
    return request.request().id();
  }
}
