package io.nereid.server.scheduling.policy.sequence;

import io.nereid.request.SequenceId;
import io.nereid.server.request.DeadlineHeap;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import io.nereid.server.scheduling.policy.Times;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sequences that are under way, with their requests that wait: which slot each has, and when
 * time alone ends one.
 */
final class Sequences {
  private final long maxIdleMicros;
  private final SlotAllocation allocation = new SlotAllocation();
  private final Map<SequenceId, LiveSequence> open = new HashMap<>();

  /** The open sequences that have a slot; those that were heard of last are last. */
  private final SequenceList active = new SequenceList();

  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final BitSet changed = new BitSet();
  private int waiting;

  Sequences(long maxIdleMicros) {
    this.maxIdleMicros = maxIdleMicros;
  }

  /** Requests that wait. */
  int waiting() {
    return waiting;
  }

  /** Whether no request can join any sequence. */
  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Instances that may have more to run than before; whoever looks at one clears it. */
  BitSet changed() {
    return changed;
  }

  /** The sequence that requests of an id join; null if there is none. */
  @Nullable LiveSequence find(SequenceId id) {
    return open.get(id);
  }

  /** Begins a sequence, in a slot or in the backlog; its first request is to be queued. */
  LiveSequence begin(SequenceId id) {
    var sequence = new LiveSequence(id);
    open.put(id, sequence);
    allocation.add(sequence);
    return sequence;
  }

  /** Queues a request of an open sequence. */
  void queue(Ticket ticket, LiveSequence sequence, long now, SchedulingActions actions) {
    ticket.sequence = sequence.run;
    sequence.run.requestAccepted();
    sequence.requests.addLast(ticket);
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
      heardOf(sequence, now);
      settle(sequence.slot, now);
    }
  }

  /** No request joins the sequence any more; what waits of it still runs. */
  void close(LiveSequence sequence, SchedulingActions actions) {
    if (sequence.open) {
      sequence.open = false;
      open.remove(sequence.id);
      active.remove(sequence);
      sequence.run.complete(actions);
    }
  }

  /** Takes a request out of the queue in which it waits. */
  void dequeue(Ticket ticket) {
    Objects.requireNonNull(ticket.queue).remove(ticket);
    deadlines.remove(ticket);
    waiting--;
  }

  /**
   * Ends a sequence of which one request was called off: without a slot altogether; otherwise from
   * that request on, so that what came before it still runs.
   */
  void cancel(Ticket ticket, long now, SchedulingActions actions) {
    LiveSequence sequence = SequenceRun.of(ticket).live();
    Slot slot = sequence.slot;
    close(sequence, actions);
    if (slot == null) {
      leaveBacklog(sequence, Rejection.CANCELLED, actions);
      return;
    }
    boolean chosen = ticket.queue != sequence.requests;
    Ticket behind = chosen ? sequence.requests.first() : ticket.next;
    drop(ticket, Rejection.CANCELLED, actions);
    dropFrom(behind, Rejection.CANCELLED, actions);
    if (chosen) {
      slot.instance.strategy().landed(slot);
    }
    settle(slot, now);
  }

  /** Ends what time has ended. */
  void expire(long now, SchedulingActions actions) {
    while (deadlines.nearest() <= now) {
      Ticket ticket = deadlines.first();
      if (ticket.expiryNanos <= ticket.deadlineNanos()) {
        LiveSequence sequence = SequenceRun.of(ticket).live();
        close(sequence, actions);
        leaveBacklog(sequence, Rejection.SEQUENCE_TIMED_OUT, actions);
      } else {
        cancel(ticket, now, actions);
      }
    }
    while (nearestIdle() <= now) {
      LiveSequence idle = Objects.requireNonNull(active.first());
      close(idle, actions);
      settle(Objects.requireNonNull(idle.slot), now);
    }
  }

  /** When {@link #expire} has something to do. */
  long nearestDeadline() {
    return Math.min(deadlines.nearest(), nearestIdle());
  }

  private long nearestIdle() {
    LiveSequence first = active.first();
    return first == null ? Ticket.NEVER : Times.after(first.activeNanos, maxIdleMicros);
  }

  /** The free slots of an instance can be had. */
  void add(InstanceSlots instance, long now) {
    allocation.remove(instance);
    for (Slot slot : instance.slots()) {
      if (slot.occupant == null) {
        promoted(allocation.offer(slot), now);
      }
    }
  }

  /** The free slots of an instance vanish. */
  void remove(InstanceSlots instance) {
    allocation.remove(instance);
  }

  /** What waits at a slot has changed: its sequence may be over, and the slot another one's. */
  void settle(Slot slot, long now) {
    slot.instance.strategy().changed(slot, now);
    if (slot.isOver()) {
      promoted(allocation.release(slot), now);
    }
    changed.set(slot.instance.instance());
  }

  /** A sequence of the backlog has got a slot, if any has. */
  private void promoted(@Nullable LiveSequence sequence, long now) {
    if (sequence == null) {
      return;
    }
    for (Ticket each = sequence.requests.first(); each != null; each = each.next) {
      if (each.expiryNanos != Ticket.NEVER) {
        deadlines.remove(each);
        each.expiryNanos = Ticket.NEVER;
        if (each.deadlineNanos() != Ticket.NEVER) {
          deadlines.add(each);
        }
      }
    }
    heardOf(sequence, now);
    settle(Objects.requireNonNull(sequence.slot), now);
  }

  private void heardOf(LiveSequence sequence, long now) {
    if (sequence.open) {
      active.remove(sequence);
      sequence.activeNanos = now;
      active.addLast(sequence);
    }
  }

  private void leaveBacklog(LiveSequence sequence, Rejection rejection, SchedulingActions actions) {
    allocation.leaveBacklog(sequence);
    dropFrom(sequence.requests.first(), rejection, actions);
  }

  /** Rejects a request that waits, if there is one, and those behind it. */
  private void dropFrom(@Nullable Ticket first, Rejection rejection, SchedulingActions actions) {
    Ticket ticket = first;
    while (ticket != null) {
      Ticket behind = ticket.next;
      drop(ticket, rejection, actions);
      ticket = behind;
    }
  }

  private void drop(Ticket ticket, Rejection rejection, SchedulingActions actions) {
    dequeue(ticket);
    actions.reject(ticket, rejection);
    SequenceRun.of(ticket).requestEnded(actions);
  }
}
