package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.request.SequenceId;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.NamedTicket;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The sequence batcher as one would write it down from the specification: sequences in order of
 * their beginning, each with what waits of it; free slots, the backlog and deadlines are looked for
 * among them each time.
 */
final class NaiveSequenceBatcher implements SchedulingPolicy {
  private final SequenceSettings settings;
  private final int capacity;
  private final NaiveSlots slots;
  private final NaiveSlotBatches batches;
  private final Set<Integer> called = new HashSet<>();
  private final Set<Integer> asking = new HashSet<>();
  private boolean stopped;
  private long ownIds;

  NaiveSequenceBatcher(SequenceSettings settings, int maxBatchSize, int capacity) {
    this.settings = settings;
    this.capacity = capacity;
    this.slots = new NaiveSlots(settings, maxBatchSize);
    this.batches = new NaiveSlotBatches(slots, settings.strategy(), maxBatchSize);
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    SequenceId id = ticket.sequenceId();
    boolean start = ticket.sequenceStart();
    if (id.equals(SequenceId.NONE) && settings.iterative()) {
      do {
        id = new SequenceId.OfNumber(++ownIds);
      } while (slots.open(id) != null);
      start = true;
    }
    NaiveSequence sequence = slots.open(id);
    Rejection rejection = null;
    if (ticket.rows() > 1) {
      rejection = Rejection.SEQUENCE_BATCH_SIZE;
    } else if (id.equals(SequenceId.NONE)) {
      rejection = Rejection.SEQUENCE_ID_MISSING;
    } else if (stopped && start && !ticket.isStep()) {
      rejection = Rejection.SEQUENCE_STOPPING;
    } else if (!start && sequence == null) {
      rejection = Rejection.SEQUENCE_START_MISSING;
    } else if (waiting() >= capacity) {
      rejection = Rejection.QUEUE_FULL;
    }
    if (rejection != null) {
      actions.reject(ticket, rejection);
      return;
    }
    if (sequence == null) {
      sequence = new NaiveSequence(id);
      slots.sequences.add(sequence);
    }
    if (start) {
      sequence.nextRun((Integer) NamedTicket.nameOf(ticket), actions);
    }
    boolean end = ticket.sequenceEnd();
    var request = new NaiveRequest(ticket, sequence, start, end, ticket.arrivalNanos());
    sequence.waiting.add(request);
    request.run.unfinished++;
    if (end) {
      sequence.close(actions);
    }
    slots.hear(sequence, now);
    slots.giveAll(now);
    slots.choose(sequence, now);
    slots.giveAll(now);
  }

  @Override
  public void rescheduled(Ticket ticket, long now, SchedulingActions actions) {
    NaiveRequest before =
        slots.running.values().stream()
            .flatMap(List::stream)
            .filter(each -> each.ticket.equals(ticket))
            .findFirst()
            .orElseThrow();
    NaiveSequence sequence = before.sequence;
    if (!sequence.open || sequence.run != before.run) {
      actions.reject(ticket, Rejection.SEQUENCE_OVER);
      return;
    }
    before.again = true;
    sequence.waiting.add(new NaiveRequest(ticket, sequence, false, false, now));
    sequence.run.unfinished++;
    slots.hear(sequence, now);
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    for (NaiveRequest each : slots.allWaiting()) {
      if (each.ticket.equals(ticket)) {
        cancel(each, now, actions);
      }
    }
  }

  /** Without a slot the whole sequence goes, with one what is behind the request. */
  private void cancel(NaiveRequest request, long now, SchedulingActions actions) {
    NaiveSequence sequence = request.sequence;
    sequence.close(actions);
    boolean candidate = !sequence.waiting.contains(request);
    int from = sequence.slot == null || candidate ? 0 : sequence.waiting.indexOf(request);
    if (candidate) {
      slots.candidates.values().forEach(each -> each.remove(request));
      reject(request, Rejection.CANCELLED, actions);
    }
    for (NaiveRequest each : List.copyOf(sequence.waiting).subList(from, sequence.waiting.size())) {
      sequence.waiting.remove(each);
      reject(each, Rejection.CANCELLED, actions);
    }
    slots.settle(sequence.slot, now);
  }

  private static void reject(NaiveRequest request, Rejection rejection, SchedulingActions actions) {
    actions.reject(request.ticket, rejection);
    request.finished(actions);
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    called.remove(instance);
    asking.add(instance);
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    slots.patience(instance).executed(endNanos);
    List<NaiveRequest> batch = Objects.requireNonNull(slots.running.get(instance));
    for (NaiveRequest request : List.copyOf(batch)) {
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
    called.remove(instance);
    slots.add(instance, now);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    slots.remove(instance);
  }

  @Override
  public boolean isRemoved(int instance) {
    return slots.isGone(instance);
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
    for (NaiveRequest each : slots.allWaiting()) {
      wake = Math.min(wake, each.wakeNanos());
    }
    for (NaiveSequence each : slots.sequences) {
      wake = Math.min(wake, idleNanos(each));
    }
    return wake;
  }

  private long serve(int instance, long now, SchedulingActions actions) {
    boolean asks = asking.remove(instance);
    long due = batches.due(instance, now);
    if (due > now && asks) {
      actions.idle(instance);
    } else if (due <= now && asks) {
      batches.dispatch(instance, now, actions);
    } else if (due <= now && called.add(instance)) {
      actions.wake(instance);
    }
    return due > now ? due : Ticket.NEVER;
  }

  private void expire(long now, SchedulingActions actions) {
    while (true) {
      NaiveRequest next =
          slots.allWaiting().stream()
              .min(Comparator.comparingLong(NaiveRequest::wakeNanos))
              .filter(each -> each.wakeNanos() <= now)
              .orElse(null);
      if (next == null) {
        break;
      }
      if (next.expiryNanos() <= next.ticket.deadlineNanos()) {
        next.sequence.close(actions);
        List<NaiveRequest> all = List.copyOf(next.sequence.waiting);
        next.sequence.waiting.clear();
        all.forEach(each -> reject(each, Rejection.SEQUENCE_TIMED_OUT, actions));
      } else {
        cancel(next, now, actions);
      }
    }
    while (true) {
      NaiveSequence idle =
          slots.sequences.stream()
              .filter(each -> idleNanos(each) <= now)
              .min(Comparator.comparingLong(each -> each.heardNumber))
              .orElse(null);
      if (idle == null) {
        break;
      }
      idle.close(actions);
      slots.settle(idle.slot, now);
    }
  }

  /** When a sequence loses its slot because nothing has been heard of it. */
  private long idleNanos(NaiveSequence sequence) {
    return sequence.open && sequence.slot != null
        ? NaiveTimes.plusMicros(sequence.heardNanos, settings.maxSequenceIdleMicros())
        : Ticket.NEVER;
  }
}
