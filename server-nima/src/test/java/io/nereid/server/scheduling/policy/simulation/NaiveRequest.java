package io.nereid.server.scheduling.policy.simulation;

import io.nereid.request.RequestOptions;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.NamedTicket;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of a {@link NaiveSequenceBatcher}, once for each time that it runs. */
final class NaiveRequest {
  final Ticket ticket;
  final NaiveSequence sequence;
  final NaiveSequence.Run run;
  final long sinceNanos;
  private final boolean start;
  private final boolean end;

  /** The slot from which it has been taken; null while it waits. */
  @Nullable NaiveSlot slot;

  /** Whether it wants to run once more. */
  boolean again;

  NaiveRequest(Ticket ticket, NaiveSequence sequence, boolean start, boolean end, long sinceNanos) {
    this.ticket = ticket;
    this.sequence = sequence;
    this.run = sequence.run;
    this.start = start;
    this.end = end;
    this.sinceNanos = sinceNanos;
  }

  /** Its row as it must be. */
  Ticket row() {
    return new NamedTicket(
        new Row((Integer) NamedTicket.nameOf(ticket), run.first, sequence.id, start, end),
        1,
        sinceNanos,
        ticket.deadlineNanos(),
        ticket.batchKey(),
        new RequestOptions(sequence.id, start, end, 0, 0, Map.of()));
  }

  /** When its timeout is over, which counts in the backlog only. */
  long expiryNanos() {
    return sequence.slot == null && ticket.timeoutMicros() != 0
        ? NaiveTimes.plusMicros(ticket.arrivalNanos(), ticket.timeoutMicros())
        : Ticket.NEVER;
  }

  long wakeNanos() {
    return Math.min(expiryNanos(), ticket.deadlineNanos());
  }

  /** It has been executed or rejected. */
  void finished(SchedulingActions actions) {
    run.unfinished--;
    run.endIfOver(actions);
  }
}
