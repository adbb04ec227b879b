package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.request.TicketQueue;
import io.nereid.request.SequenceId;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests of one correlation id, in a slot or in the backlog. It is open, that is,
 * accepts requests of that id, until its end request is admitted, its idle time expires or it is
 * cancelled. If it is started again while it is open, it gets a new {@link SequenceRun}.
 */
final class LiveSequence {
  final SequenceId id;

  /** Whose sequence it is. */
  final String client;

  /** How many sequences began before. */
  long number;

  /** The waiting requests, in order of arrival. */
  final TicketQueue requests = new TicketQueue();

  /** The run of new requests. */
  SequenceRun run = new SequenceRun(this);

  /** The current or last slot; null while the sequence is in the backlog. */
  @Nullable Slot slot;

  /** Whether it accepts requests. */
  boolean open = true;

  /** When its last request arrived or it got its slot, whichever is later. */
  long activeNanos;

  LiveSequence(SequenceId id, String client) {
    this.id = id;
    this.client = client;
  }
}
