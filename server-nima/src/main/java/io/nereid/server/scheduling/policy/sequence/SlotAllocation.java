package io.nereid.server.scheduling.policy.sequence;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of slots to sequences. The free slot with the lowest number of all instances is
 * assigned first. If no slot is free, sequences wait in the backlog, first in first out, with all
 * of their requests.
 */
final class SlotAllocation {
  private final PriorityQueue<Slot> free =
      new PriorityQueue<>(
          Comparator.<Slot>comparingInt(slot -> slot.number)
              .thenComparingInt(slot -> slot.instance.instance()));

  private final LinkedHashSet<LiveSequence> backlog = new LinkedHashSet<>();

  /** Adds a new sequence to a free slot, or to the backlog. */
  void add(LiveSequence sequence) {
    Slot slot = free.poll();
    if (slot == null) {
      backlog.addLast(sequence);
      return;
    }
    occupy(slot, sequence);
    Slot above = slot.instance.slotAbove(slot);
    if (above != null) {
      free.add(above);
    }
  }

  /** Whether a new sequence would get a slot at once. */
  boolean hasFree() {
    return !free.isEmpty();
  }

  /** The number of sequences in the backlog. */
  int backlog() {
    return backlog.size();
  }

  /** Removes a sequence without a slot. */
  void leaveBacklog(LiveSequence sequence) {
    backlog.remove(sequence);
  }

  /** Releases the slot of a sequence that has ended; returns the next sequence in it, if any. */
  @Nullable LiveSequence release(Slot slot) {
    slot.occupant = null;
    slot.instance.occupied--;
    return offer(slot);
  }

  /** Assigns a free slot to the first sequence of the backlog, if any, and returns that. */
  @Nullable LiveSequence offer(Slot slot) {
    if (slot.instance.removed) {
      return null;
    }
    if (backlog.isEmpty()) {
      free.add(slot);
      return null;
    }
    LiveSequence waiting = backlog.removeFirst();
    occupy(slot, waiting);
    return waiting;
  }

  /** Removes the free slots of an instance. */
  void remove(InstanceSlots instance) {
    free.removeIf(slot -> slot.instance == instance);
  }

  private static void occupy(Slot slot, LiveSequence sequence) {
    slot.occupant = sequence;
    slot.instance.occupied++;
    sequence.slot = slot;
  }
}
