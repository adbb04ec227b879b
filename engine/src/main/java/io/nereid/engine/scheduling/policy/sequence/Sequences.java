package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.engine.request.DeadlineHeap;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.ClientPlaces;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.Times;
import io.nereid.request.SequenceId;
import io.nereid.request.SequenceId.OfNumber;
import io.nereid.request.SequenceId.OfString;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The open sequences and their waiting requests: admission, slots, cancellation, timeouts and idle
 * time.
 */
final class Sequences {
  /** Numbers precede texts. */
  private static final Comparator<SequenceId> BY_VALUE =
      (one, other) ->
          switch (one) {
            case OfNumber(long number) ->
                other instanceof OfNumber(long second) ? Long.compare(number, second) : -1;
            case OfString(String text) ->
                other instanceof OfString(String second) ? text.compareTo(second) : 1;
          };

  private final long maxIdleMicros;
  private final int capacity;
  private final ClientPlaces places;
  private final SlotAllocation allocation;
  private final SlotWait slotWait = new SlotWait();

  /** A tree, since clients choose the ids: many of one hash would make a hash map slow. */
  private final Map<SequenceId, LiveSequence> open = new TreeMap<>(BY_VALUE);

  /** The open sequences with a slot, ordered by {@link LiveSequence#activeNanos}. */
  private final LinkedHashSet<LiveSequence> active = new LinkedHashSet<>();

  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final BitSet changed = new BitSet();
  private int waiting;

  Sequences(long maxIdleMicros, QueueLimits limits) {
    this.maxIdleMicros = maxIdleMicros;
    this.capacity = limits.requests();
    this.places = new ClientPlaces(limits);
    this.allocation = new SlotAllocation(limits.clientSequences());
  }

  /** The number of waiting requests. */
  int waiting() {
    return waiting;
  }

  /** Whether as many requests wait as may. */
  boolean isFull() {
    return waiting >= capacity;
  }

  /** Whether a request may wait besides those of its client. */
  boolean admits(Ticket ticket) {
    return places.admits(ticket, waiting);
  }

  /** Whether a client may begin a sequence besides those that it has. */
  boolean admits(String client) {
    return allocation.admits(client);
  }

  /** Whether no sequence is open. */
  boolean isEmpty() {
    return open.isEmpty();
  }

  /** The instances to serve, because their slots or states have changed; the caller clears them. */
  BitSet changed() {
    return changed;
  }

  /** The open sequence of an id; null if there is none. */
  @Nullable LiveSequence find(SequenceId id) {
    return open.get(id);
  }

  /**
   * How long a new sequence of a client would wait for a slot; 0 if one is free, or none was waited
   * for.
   */
  long slotWaitNanos(String client, long now) {
    return allocation.hasFree() ? 0 : slotWait.nanos(allocation.ahead(client), now);
  }

  /** The number of waiting sequences that get a slot before a new one of a client. */
  int ahead(String client) {
    return allocation.ahead(client);
  }

  /** Opens a sequence in a slot or in the backlog; the caller then queues its first request. */
  LiveSequence begin(SequenceId id, String client, long now) {
    if (!allocation.hasFree() && allocation.backlog() == 0) {
      slotWait.backlogBegins(now);
    }
    var sequence = new LiveSequence(id, client);
    open.put(id, sequence);
    allocation.add(sequence);
    return sequence;
  }

  /** Queues a request of an open sequence. */
  void queue(Ticket ticket, LiveSequence sequence, long now, SchedulingActions actions) {
    ticket.sequence = sequence.run;
    sequence.run.requestAdmitted();
    sequence.requests.addLast(ticket);
    places.add(ticket);
    waiting++;
    boolean expires = sequence.slot == null && ticket.timeoutMicros() != 0;
    ticket.expiryNanos =
        expires ? Times.after(ticket.arrivalNanos(), ticket.timeoutMicros()) : Ticket.NEVER;
    if (ticket.wakeNanos() != Ticket.NEVER) {
      deadlines.add(ticket);
    }
    if (ticket.sequenceEnd()) {
      close(sequence, actions);
    }
    if (sequence.slot != null) {
      touch(sequence, now);
      settle(sequence.slot, now);
    }
  }

  /** Closes a sequence to further requests. Its waiting requests are still executed. */
  void close(LiveSequence sequence, SchedulingActions actions) {
    if (sequence.open) {
      sequence.open = false;
      open.remove(sequence.id);
      active.remove(sequence);
      sequence.run.complete(actions);
    }
  }

  /** Removes a request from its queue. */
  void dequeue(Ticket ticket) {
    Objects.requireNonNull(ticket.queue).remove(ticket);
    deadlines.remove(ticket);
    places.remove(ticket);
    waiting--;
  }

  /**
   * Closes a sequence because one of its requests was cancelled. A sequence in the backlog ends
   * with all requests; one in a slot executes the requests before the cancelled one.
   */
  void cancel(Ticket ticket, long now, SchedulingActions actions) {
    LiveSequence sequence = SequenceRun.of(ticket).live();
    Slot slot = sequence.slot;
    close(sequence, actions);
    if (slot == null) {
      rejectBacklog(sequence, Rejection.CANCELLED, actions);
      return;
    }
    boolean candidate = ticket.queue != sequence.requests;
    Ticket behind = candidate ? sequence.requests.first() : ticket.next;
    reject(ticket, Rejection.CANCELLED, actions);
    rejectFrom(behind, Rejection.CANCELLED, actions);
    if (candidate) {
      slot.instance.strategy().completed(slot);
    }
    settle(slot, now);
  }

  /** Applies the deadlines, timeouts and idle times that have passed. */
  void expire(long now, SchedulingActions actions) {
    while (deadlines.nearest() <= now) {
      Ticket ticket = deadlines.first();
      if (ticket.expiryNanos <= ticket.deadlineNanos()) {
        LiveSequence sequence = SequenceRun.of(ticket).live();
        close(sequence, actions);
        rejectBacklog(sequence, Rejection.SEQUENCE_TIMED_OUT, actions);
      } else {
        cancel(ticket, now, actions);
      }
    }
    while (nearestIdle() <= now) {
      LiveSequence idle = active.getFirst();
      close(idle, actions);
      settle(Objects.requireNonNull(idle.slot), now);
    }
  }

  /** The next time at which {@link #expire} has an effect. */
  long nearestDeadline() {
    return Math.min(deadlines.nearest(), nearestIdle());
  }

  private long nearestIdle() {
    return active.isEmpty()
        ? Ticket.NEVER
        : Times.after(active.getFirst().activeNanos, maxIdleMicros);
  }

  /** Assigns the free slots of an instance from now on. */
  void add(InstanceSlots instance, long now) {
    allocation.add(instance);
    for (int i = 0; i < instance.slots().size(); i++) {
      Slot slot = instance.slots().get(i);
      if (slot.occupant == null) {
        promoted(allocation.offer(slot), now);
      }
      if (slot.occupant != null) {
        instance.slotAbove(slot); // visited next
      }
    }
  }

  /** Assigns the free slots of an instance no longer. */
  void remove(InstanceSlots instance) {
    allocation.remove(instance);
  }

  /** Updates a slot after a change of its requests, and releases it if its sequence has ended. */
  void settle(Slot slot, long now) {
    slot.instance.strategy().changed(slot, now);
    if (slot.isOver()) {
      allocation.release(slot);
      promoted(allocation.offer(slot), now);
    }
    changed.set(slot.instance.instance());
  }

  /**
   * Updates the slots of a batch that was dispatched. Those whose sequences have ended are all
   * released before one is assigned, so that their clients have fewer then.
   */
  void dispatched(InstanceSlots instance, long now) {
    for (int row = 0; row < instance.runningSize(); row++) {
      Slot slot = slot(instance.running(row));
      if (slot != null && slot.isOver()) {
        allocation.release(slot);
      }
    }
    for (int row = 0; row < instance.runningSize(); row++) {
      Slot slot = slot(instance.running(row));
      if (slot != null) {
        instance.strategy().changed(slot, now);
        if (slot.released) {
          promoted(allocation.offer(slot), now);
        }
      }
    }
    changed.set(instance.instance());
  }

  private static @Nullable Slot slot(@Nullable Ticket running) {
    return running == null ? null : SequenceRun.of(running).live().slot;
  }

  /** Handles the move of a sequence, if not null, from the backlog to a slot. */
  private void promoted(@Nullable LiveSequence sequence, long now) {
    if (sequence == null) {
      return;
    }
    slotWait.promoted(now);
    for (Ticket each = sequence.requests.first(); each != null; each = each.next) {
      if (each.expiryNanos != Ticket.NEVER) {
        deadlines.remove(each);
        each.expiryNanos = Ticket.NEVER;
        if (each.deadlineNanos() != Ticket.NEVER) {
          deadlines.add(each);
        }
      }
    }
    touch(sequence, now);
    settle(Objects.requireNonNull(sequence.slot), now);
  }

  /** Restarts the idle time of a sequence. */
  private void touch(LiveSequence sequence, long now) {
    if (sequence.open) {
      sequence.activeNanos = now;
      active.addLast(sequence);
    }
  }

  private void rejectBacklog(
      LiveSequence sequence, Rejection rejection, SchedulingActions actions) {
    allocation.leaveBacklog(sequence);
    rejectFrom(sequence.requests.first(), rejection, actions);
  }

  /** Rejects a waiting request, if not null, and those behind it. */
  private void rejectFrom(@Nullable Ticket first, Rejection rejection, SchedulingActions actions) {
    Ticket ticket = first;
    while (ticket != null) {
      Ticket behind = ticket.next;
      reject(ticket, rejection, actions);
      ticket = behind;
    }
  }

  private void reject(Ticket ticket, Rejection rejection, SchedulingActions actions) {
    dequeue(ticket);
    actions.reject(ticket, rejection);
    SequenceRun.of(ticket).requestEnded(actions);
  }
}
