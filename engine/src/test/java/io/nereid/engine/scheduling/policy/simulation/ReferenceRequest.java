package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.simulation.Action.Row;
import io.nereid.engine.scheduling.policy.simulation.ReferenceSlots.Slot;
import io.nereid.request.RequestOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of a {@link ReferenceSequenceBatcher}; one object per execution. */
final class ReferenceRequest {
  final Ticket ticket;
  final ReferenceSequence sequence;
  final ReferenceSequence.Run run;
  final long sinceNanos;
  private final boolean start;
  private final boolean end;

  /** The slot from which it was taken; null while it waits. */
  @Nullable Slot slot;

  /** Whether it is rescheduled. */
  boolean again;

  ReferenceRequest(
      Ticket ticket, ReferenceSequence sequence, boolean start, boolean end, long sinceNanos) {
    this.ticket = ticket;
    this.sequence = sequence;
    this.run = sequence.run;
    this.start = start;
    this.end = end;
    this.sinceNanos = sinceNanos;
  }

  /** Its expected row. */
  Ticket row() {
    return new NamedTicket(
        new Row((Integer) NamedTicket.nameOf(ticket), run.first, sequence.id, start, end),
        1,
        sinceNanos,
        ticket.deadlineNanos(),
        ticket.batchKey(),
        new RequestOptions(sequence.id, start, end, 0, 0, Map.of()));
  }

  /** When its timeout expires, which applies in the backlog only. */
  long expiryNanos() {
    return sequence.slot == null && ticket.timeoutMicros() != 0
        ? ReferenceTimes.plusMicros(ticket.arrivalNanos(), ticket.timeoutMicros())
        : Ticket.NEVER;
  }

  long wakeNanos() {
    return Math.min(expiryNanos(), ticket.deadlineNanos());
  }

  /** It was executed or rejected. */
  void finished(SchedulingActions actions) {
    run.unfinished--;
    run.endIfOver(actions);
  }
}
