package io.nereid.server.scheduling.policy.sequence;

import io.nereid.server.request.Ticket;
import org.jspecify.annotations.Nullable;

/** A place at one instance, which a sequence has from when it gets it until it is over. */
final class Slot {
  final InstanceSlots instance;

  /** Among the slots of its instance; with direct batching the row of the batch. */
  final int number;

  /** The sequence that has it; null if it is free. */
  @Nullable LiveSequence occupant;

  /** Whether a request that was dispatched, or chosen to be, has not been executed yet. */
  boolean inFlight;

  Slot(InstanceSlots instance, int number) {
    this.instance = instance;
    this.number = number;
  }

  /** The request that is next here; null if none waits. */
  @Nullable Ticket head() {
    return occupant == null ? null : occupant.requests.first();
  }

  /** Whether the sequence that has it will never need it again. */
  boolean isOver() {
    return occupant != null && !occupant.open && occupant.requests.isEmpty();
  }
}
