package io.nereid.engine.scheduling.policy.sequence;

import io.nereid.config.SequenceSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.FormedBatch;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.request.SequenceId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The policy of {@code sequence_batching}. Each sequence has a slot of one instance, where its
 * requests are executed in order of arrival. The {@link SlotStrategy} selects those that share a
 * batch. Deadlines are exact, since {@link #decide} returns the next one.
 *
 * <p>The idle time of a sequence from the backlog begins when it gets its slot, since its client
 * may wait for the first response before it sends the next request.
 */
public final class SequencePolicy implements SchedulingPolicy {
  private final SequenceSettings settings;
  private final int maxBatchSize;
  private final WaitLimit waitLimit;
  private final Map<Integer, InstanceSlots> instances = new HashMap<>();
  private final Sequences sequences;
  private long lastGeneratedId;
  private boolean stopped;

  /**
   * Creates a policy without requests and instances.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param limits of the requests, and of the wait of a sequence for its slot
   */
  public SequencePolicy(SequenceSettings settings, int maxBatchSize, QueueLimits limits) {
    this.settings = settings;
    this.maxBatchSize = maxBatchSize;
    this.waitLimit = new WaitLimit(limits.maxWaitNanos());
    this.sequences = new Sequences(settings.maxSequenceIdleMicros(), limits);
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    if (settings.iterative() && ticket.sequenceId().equals(SequenceId.NONE)) {
      ticket.startSequence(generatedId());
    }
    LiveSequence sequence = sequences.find(ticket.sequenceId());
    Rejection rejection = rejection(ticket, sequence);
    if (rejection != null) {
      actions.reject(ticket, rejection);
      return;
    }
    PredictedWait tooLong = sequence == null ? refusal(ticket, now) : null;
    if (tooLong != null) {
      actions.refuse(ticket, tooLong);
      return;
    }
    if (sequence == null) {
      sequence = sequences.begin(ticket.sequenceId(), ticket.client(), now);
    } else if (ticket.sequenceStart()) {
      actions.restarted(ticket);
      sequence.run.complete(actions);
      sequence.run = new SequenceRun(sequence);
    }
    ticket.enqueuedNanos = ticket.arrivalNanos();
    sequences.queue(ticket, sequence, now, actions);
  }

  /** The reason to reject an arriving request; null to admit it. */
  private @Nullable Rejection rejection(Ticket ticket, @Nullable LiveSequence sequence) {
    if (ticket.rows() > 1) {
      return Rejection.SEQUENCE_BATCH_SIZE;
    }
    if (ticket.sequenceId().equals(SequenceId.NONE)) {
      return Rejection.SEQUENCE_ID_MISSING;
    }
    if (stopped && ticket.sequenceStart() && !ticket.isStep()) {
      return Rejection.SEQUENCE_STOPPING;
    }
    if (sequence == null && !ticket.sequenceStart()) {
      return Rejection.SEQUENCE_START_MISSING;
    }
    if (sequences.isFull()) {
      return Rejection.QUEUE_FULL;
    }
    if (!sequences.admits(ticket)) {
      return Rejection.QUEUE_SHARE;
    }
    return sequence == null && !sequences.admits(ticket.client()) ? Rejection.SEQUENCE_SHARE : null;
  }

  /**
   * The refusal of a new sequence by its predicted wait for a slot; null to admit it. The client's
   * timeout is no limit here: clients end sequences when they like, so it is awaited.
   */
  private @Nullable PredictedWait refusal(Ticket first, long now) {
    return waitLimit.concerns(first, 0)
        ? waitLimit.refusal(
            first,
            0,
            sequences.slotWaitNanos(first.client(), now),
            0,
            sequences.ahead(first.client()),
            now)
        : null;
  }

  private SequenceId generatedId() {
    SequenceId id;
    do {
      lastGeneratedId++;
      id = new SequenceId.OfNumber(lastGeneratedId);
    } while (sequences.find(id) != null);
    return id;
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    SequenceRun run = SequenceRun.of(ticket);
    LiveSequence sequence = run.live();
    if (!settings.iterative()) {
      throw new IllegalStateException("this scheduler cannot run a request again");
    }
    if (sequence.open && sequence.run == run) {
      ticket.rescheduled();
      ticket.enqueuedNanos = now;
      sequences.queue(ticket, sequence, now, actions);
    } else {
      actions.reject(ticket, Rejection.SEQUENCE_OVER);
    }
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.queue != null) {
      sequences.cancel(ticket, now, actions);
    }
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    InstanceSlots slots = slots(instance);
    slots.woken = false;
    slots.ready = true;
    sequences.changed().set(instance);
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    InstanceSlots slots = slots(instance);
    slots.strategy().executed(endNanos);
    for (int row = 0; row < slots.runningSize(); row++) {
      Ticket ticket = slots.running(row);
      if (ticket != null) {
        executed(ticket, now, actions);
      }
    }
    slots.executed();
    sequences.changed().set(instance);
  }

  private void executed(Ticket ticket, long now, SchedulingActions actions) {
    SequenceRun run = SequenceRun.of(ticket);
    LiveSequence sequence = run.live();
    if (settings.iterative() && ticket.queue == null && sequence.run == run) {
      sequences.close(sequence, actions); // the request was not rescheduled
    }
    run.requestEnded(actions);
    Slot slot = Objects.requireNonNull(sequence.slot);
    slot.instance.strategy().completed(slot);
    sequences.settle(slot, now);
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    InstanceSlots slots =
        instances.computeIfAbsent(
            instance, index -> new InstanceSlots(index, settings.strategy(), maxBatchSize));
    slots.removed = false;
    slots.woken = false;
    sequences.add(slots, now);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    InstanceSlots slots = slots(instance);
    slots.removed = true;
    sequences.remove(slots);
  }

  @Override
  public boolean isRemoved(int instance) {
    return slots(instance).isRemoved();
  }

  @Override
  public void stopped() {
    stopped = true;
  }

  @Override
  public int waiting() {
    return sequences.waiting();
  }

  /** That of a new sequence for its slot. */
  @Override
  public long waitNanos(long now) {
    return sequences.slotWaitNanos("", now);
  }

  @Override
  public boolean hasSequences() {
    return !sequences.isEmpty();
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    sequences.expire(now, actions);
    BitSet changed = sequences.changed();
    long wake = Ticket.NEVER;
    for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
      wake = Math.min(wake, serve(slots(i), now, actions));
    }
    return Math.min(wake, sequences.nearestDeadline());
  }

  /** Wakes, dispatches to or makes idle one instance; returns when its next batch is due. */
  private long serve(InstanceSlots slots, long now, SchedulingActions actions) {
    if (!slots.isBusy()) {
      FormedBatch batch = slots.strategy().batch();
      slots.strategy().form(now);
      if (batch.size == 0) {
        idle(slots, actions);
      } else if (slots.ready) {
        dispatch(slots, now, actions);
      } else {
        wake(slots, actions);
      }
      if (batch.waitUntil != Ticket.NEVER) {
        return batch.waitUntil;
      }
    }
    sequences.changed().clear(slots.instance());
    return Ticket.NEVER;
  }

  private static void idle(InstanceSlots slots, SchedulingActions actions) {
    if (slots.ready) {
      slots.ready = false;
      actions.idle(slots.instance());
    }
  }

  private static void wake(InstanceSlots slots, SchedulingActions actions) {
    slots.strategy().batch().forget();
    if (!slots.woken) {
      slots.woken = true;
      actions.wake(slots.instance());
    }
  }

  private void dispatch(InstanceSlots slots, long now, SchedulingActions actions) {
    FormedBatch batch = slots.strategy().batch();
    slots.ready = false;
    slots.dispatched();
    slots.strategy().dispatched();
    for (int row = 0; row < slots.runningSize(); row++) {
      Ticket ticket = slots.running(row);
      if (ticket != null) {
        sequences.dequeue(ticket);
      }
    }
    actions.dispatch(slots.instance(), batch.tickets, batch.size, batch.reason);
    batch.forget();
    sequences.dispatched(slots, now);
  }

  private InstanceSlots slots(int instance) {
    return Objects.requireNonNull(instances.get(instance), "no such instance");
  }
}
