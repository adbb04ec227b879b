package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.request.Ticket;
import org.jspecify.annotations.Nullable;

/** A slot of one instance. It is assigned to one sequence until that has ended. */
final class Slot {
  final InstanceSlots instance;

  /** The index among the slots of its instance; with direct batching the row of the batch. */
  final int number;

  /** The sequence in the slot; null if it is free. */
  @Nullable LiveSequence occupant;

  /** Whether it was released, and is to be offered to the sequences that wait. */
  boolean released;

  /** Whether a request of the slot is a candidate, or dispatched and not executed. */
  boolean inFlight;

  Slot(InstanceSlots instance, int number) {
    this.instance = instance;
    this.number = number;
  }

  /** The next request; null if none waits. */
  @Nullable Ticket head() {
    return occupant == null ? null : occupant.requests.first();
  }

  /** Whether its sequence is closed and has no waiting request. */
  boolean isOver() {
    return occupant != null && !occupant.open && occupant.requests.isEmpty();
  }
}
