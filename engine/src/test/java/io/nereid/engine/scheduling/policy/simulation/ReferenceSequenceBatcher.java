package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.request.SequenceId;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The reference model of the sequence batcher: a list of sequences in order of their start, with
 * their waiting requests, which is searched for free slots, the backlog and deadlines at each
 * decision.
 */
final class ReferenceSequenceBatcher implements SchedulingPolicy {
  private final SequenceSettings settings;
  private final QueueLimits limits;
  private final ReferenceSlots slots;
  private final ReferenceSlotBatches batches;
  private final Set<Integer> woken = new HashSet<>();
  private final Set<Integer> ready = new HashSet<>();
  private boolean stopped;
  private long generatedIds;

  ReferenceSequenceBatcher(SequenceSettings settings, int maxBatchSize, QueueLimits limits) {
    this.settings = settings;
    this.limits = limits;
    this.slots = new ReferenceSlots(settings, maxBatchSize);
    this.batches = new ReferenceSlotBatches(slots, settings.strategy(), maxBatchSize);
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    SequenceId id = ticket.sequenceId();
    boolean start = ticket.sequenceStart();
    if (id.equals(SequenceId.NONE) && settings.iterative()) {
      do {
        id = new SequenceId.OfNumber(++generatedIds);
      } while (slots.open(id) != null);
      start = true;
    }
    ReferenceSequence sequence = slots.open(id);
    Rejection rejection = null;
    if (ticket.rows() > 1) {
      rejection = Rejection.SEQUENCE_BATCH_SIZE;
    } else if (id.equals(SequenceId.NONE)) {
      rejection = Rejection.SEQUENCE_ID_MISSING;
    } else if (stopped && start && !ticket.isStep()) {
      rejection = Rejection.SEQUENCE_STOPPING;
    } else if (!start && sequence == null) {
      rejection = Rejection.SEQUENCE_START_MISSING;
    } else if (waiting() >= limits.requests()) {
      rejection = Rejection.QUEUE_FULL;
    } else if (sequence == null
        && limits.clientSequences() != QueueLimits.SHARE // the share is not reached by so few
        && slots.ofClient(ticket.client()) >= limits.clientSequences()) {
      rejection = Rejection.SEQUENCE_SHARE;
    }
    if (rejection != null) {
      actions.reject(ticket, rejection);
      return;
    }
    if (sequence == null) {
      PredictedWait prediction = prediction(ticket, now);
      if (prediction.nanos() > 0 && prediction.nanos() >= prediction.limitNanos()) {
        actions.refuse(ticket, prediction);
        return;
      }
    }
    if (sequence == null) {
      slots.begins(now);
      sequence = new ReferenceSequence(id, ticket.client());
      slots.sequences.add(sequence);
      slots.beginning = sequence;
    } else if (start) {
      actions.restarted(ticket);
    }
    if (start) {
      sequence.nextRun((Integer) NamedTicket.nameOf(ticket), actions);
    }
    boolean end = ticket.sequenceEnd();
    var request = new ReferenceRequest(ticket, sequence, start, end, ticket.arrivalNanos());
    sequence.waiting.add(request);
    request.run.unfinished++;
    if (end) {
      sequence.close(actions);
    }
    slots.touch(sequence, now);
    slots.assignAll(now);
    slots.choose(sequence, now);
    slots.assignAll(now);
    slots.beginning = null;
  }

  private PredictedWait prediction(Ticket ticket, long now) {
    if (ticket.isStep()
        || (ticket.deadlineNanos() == Ticket.NEVER && limits.maxWaitNanos() == Ticket.NEVER)) {
      return new PredictedWait(0, 0, 0);
    }
    long left = ticket.deadlineNanos() - now;
    long limit = left - left / 3;
    if (limits.maxWaitNanos() != Ticket.NEVER) {
      limit = Math.min(limit, ticket.arrivalNanos() + limits.maxWaitNanos() - now);
    }
    return new PredictedWait(
        slots.slotWaitNanos(ticket.client(), now),
        Math.max(0, limit),
        slots.ahead(ticket.client()));
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    ReferenceRequest before =
        slots.running.values().stream()
            .flatMap(List::stream)
            .filter(each -> each.ticket.equals(ticket))
            .findFirst()
            .orElseThrow();
    ReferenceSequence sequence = before.sequence;
    if (!sequence.open || sequence.run != before.run) {
      actions.reject(ticket, Rejection.SEQUENCE_OVER);
      return;
    }
    before.again = true;
    sequence.waiting.add(new ReferenceRequest(ticket, sequence, false, false, now));
    sequence.run.unfinished++;
    slots.touch(sequence, now);
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    for (ReferenceRequest each : slots.allWaiting()) {
      if (each.ticket.equals(ticket)) {
        cancel(each, now, actions);
      }
    }
  }

  /** Rejects the whole sequence in the backlog; in a slot, the request and those behind it. */
  private void cancel(ReferenceRequest request, long now, SchedulingActions actions) {
    ReferenceSequence sequence = request.sequence;
    sequence.close(actions);
    boolean candidate = !sequence.waiting.contains(request);
    int from = sequence.slot == null || candidate ? 0 : sequence.waiting.indexOf(request);
    if (candidate) {
      slots.candidates.values().forEach(each -> each.remove(request));
      reject(request, Rejection.CANCELLED, actions);
    }
    for (ReferenceRequest each :
        List.copyOf(sequence.waiting).subList(from, sequence.waiting.size())) {
      sequence.waiting.remove(each);
      reject(each, Rejection.CANCELLED, actions);
    }
    slots.settle(sequence.slot, now);
  }

  private static void reject(
      ReferenceRequest request, Rejection rejection, SchedulingActions actions) {
    actions.reject(request.ticket, rejection);
    request.finished(actions);
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    woken.remove(instance);
    ready.add(instance);
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    slots.adaptiveDelay(instance).executed(endNanos);
    List<ReferenceRequest> batch = Objects.requireNonNull(slots.running.get(instance));
    for (ReferenceRequest request : List.copyOf(batch)) {
      batch.remove(request);
      if (settings.iterative() && !request.again && request.sequence.run == request.run) {
        request.sequence.close(actions);
      }
      request.finished(actions);
      slots.settle(request.slot, now);
    }
    slots.running.remove(instance);
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    woken.remove(instance);
    slots.add(instance, now);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    slots.remove(instance);
  }

  @Override
  public boolean isRemoved(int instance) {
    return slots.isRemoved(instance);
  }

  @Override
  public void stopped() {
    stopped = true;
  }

  @Override
  public boolean hasSequences() {
    return slots.sequences.stream().anyMatch(each -> each.open);
  }

  @Override
  public int waiting() {
    return slots.waiting();
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    expire(now, actions);
    long wake = Ticket.NEVER;
    for (int instance : slots.instances()) {
      if (!slots.running.containsKey(instance)) {
        wake = Math.min(wake, serve(instance, now, actions));
      }
    }
    slots.sequences.removeIf(each -> !each.open && each.waiting.isEmpty());
    for (ReferenceRequest each : slots.allWaiting()) {
      wake = Math.min(wake, each.wakeNanos());
    }
    for (ReferenceSequence each : slots.sequences) {
      wake = Math.min(wake, idleNanos(each));
    }
    return wake;
  }

  private long serve(int instance, long now, SchedulingActions actions) {
    boolean wasReady = ready.remove(instance);
    long due = batches.due(instance, now);
    if (due > now && wasReady) {
      actions.idle(instance);
    } else if (due <= now && wasReady) {
      batches.dispatch(instance, now, actions);
    } else if (due <= now && woken.add(instance)) {
      actions.wake(instance);
    }
    return due > now ? due : Ticket.NEVER;
  }

  private void expire(long now, SchedulingActions actions) {
    while (true) {
      ReferenceRequest next =
          slots.allWaiting().stream()
              .min(Comparator.comparingLong(ReferenceRequest::wakeNanos))
              .filter(each -> each.wakeNanos() <= now)
              .orElse(null);
      if (next == null) {
        break;
      }
      if (next.expiryNanos() <= next.ticket.deadlineNanos()) {
        next.sequence.close(actions);
        List<ReferenceRequest> all = List.copyOf(next.sequence.waiting);
        next.sequence.waiting.clear();
        all.forEach(each -> reject(each, Rejection.SEQUENCE_TIMED_OUT, actions));
      } else {
        cancel(next, now, actions);
      }
    }
    while (true) {
      ReferenceSequence idle =
          slots.sequences.stream()
              .filter(each -> idleNanos(each) <= now)
              .min(Comparator.comparingLong(each -> each.activeNumber))
              .orElse(null);
      if (idle == null) {
        break;
      }
      idle.close(actions);
      slots.settle(idle.slot, now);
    }
  }

  /** When the idle time of a sequence expires. */
  private long idleNanos(ReferenceSequence sequence) {
    return sequence.open && sequence.slot != null
        ? ReferenceTimes.plusMicros(sequence.activeNanos, settings.maxSequenceIdleMicros())
        : Ticket.NEVER;
  }
}
