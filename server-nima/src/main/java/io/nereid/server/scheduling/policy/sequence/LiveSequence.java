package io.nereid.server.scheduling.policy.sequence;

import io.nereid.request.SequenceId;
import io.nereid.server.request.TicketQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one sequence id that wait, in a slot or in the backlog. It is open, so that
 * requests of that id join it, until its end has been accepted, it was idle for too long, or it was
 * called off. If it is started again while it is open, another {@link SequenceRun} follows in it.
 */
final class LiveSequence {
  final SequenceId id;

  /** What waits here, in order of arrival. */
  final TicketQueue requests = new TicketQueue();

  /** What new requests belong to. */
  SequenceRun run = new SequenceRun(this);

  /** The slot that it has, or had last; null while it is in the backlog. */
  @Nullable Slot slot;

  /** Whether requests of that id join it. */
  boolean open = true;

  /** When it was heard of last: its latest request, or the slot that it got. */
  long activeNanos;

  /** The list that it is in: the backlog, or those that can become idle. */
  @Nullable SequenceList list;

  @Nullable LiveSequence previous;
  @Nullable LiveSequence next;

  LiveSequence(SequenceId id) {
    this.id = id;
  }
}
