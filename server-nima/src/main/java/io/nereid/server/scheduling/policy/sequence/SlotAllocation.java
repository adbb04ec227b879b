package io.nereid.server.scheduling.policy.sequence;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Which sequence has which slot. Free slots are handed out lowest number first, across all
 * instances; if there is none, sequences wait in the backlog, first in first out, with all of their
 * requests.
 */
final class SlotAllocation {
  private final PriorityQueue<Slot> free =
      new PriorityQueue<>(
          Comparator.<Slot>comparingInt(slot -> slot.number)
              .thenComparingInt(slot -> slot.instance.instance()));

  private final SequenceList backlog = new SequenceList();

  /** Gives a new sequence a slot, or its place in the backlog. */
  void add(LiveSequence sequence) {
    Slot slot = free.poll();
    if (slot == null) {
      backlog.addLast(sequence);
    } else {
      occupy(slot, sequence);
    }
  }

  /** A sequence that has no slot will never need one. */
  void leaveBacklog(LiveSequence sequence) {
    backlog.remove(sequence);
  }

  /** Takes the slot of a sequence that is over; returns the sequence that has it now. */
  @Nullable LiveSequence release(Slot slot) {
    slot.occupant = null;
    slot.instance.occupied--;
    return offer(slot);
  }

  /** Offers a free slot to the backlog; returns the sequence that has it now, if any. */
  @Nullable LiveSequence offer(Slot slot) {
    if (slot.instance.removed) {
      return null;
    }
    LiveSequence waiting = backlog.first();
    if (waiting == null) {
      free.add(slot);
    } else {
      backlog.remove(waiting);
      occupy(slot, waiting);
    }
    return waiting;
  }

  /** The free slots of an instance vanish. */
  void remove(InstanceSlots instance) {
    free.removeIf(slot -> slot.instance == instance);
  }

  private static void occupy(Slot slot, LiveSequence sequence) {
    slot.occupant = sequence;
    slot.instance.occupied++;
    sequence.slot = slot;
  }
}
