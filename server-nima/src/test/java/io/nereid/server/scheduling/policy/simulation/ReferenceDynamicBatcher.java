package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The reference model of the dynamic batcher: a list of waiting requests in order of arrival, from
 * which each decision is computed anew.
 */
final class ReferenceDynamicBatcher implements SchedulingPolicy {
  /**
   * A waiting request.
   *
   * @param expiry when the timeout of its queue policy expires
   */
  private record Waiting(Ticket ticket, long level, QueuePolicy policy, long expiry) {
    boolean isRejectedAt(long now) {
      return ticket.deadlineNanos() <= now || isExpiredAt(now, TimeoutAction.REJECT);
    }

    boolean isDelayedAt(long now) {
      return isExpiredAt(now, TimeoutAction.DELAY);
    }

    private boolean isExpiredAt(long now, TimeoutAction action) {
      return expiry <= now && policy.timeoutAction() == action;
    }
  }

  private final BatchingSettings settings;
  private final int maxRows;
  private final int capacity;
  private final int maxWeight;

  /** All waiting requests, in order of arrival. */
  private final List<Waiting> waiting = new ArrayList<>();

  /** The delayed requests, in the order in which their timeouts were detected. */
  private final List<Waiting> delayed = new ArrayList<>();

  private final ReferenceInstances instances = new ReferenceInstances();
  private boolean stopped;

  private final ReferenceAdaptiveDelay adaptiveDelay = new ReferenceAdaptiveDelay();

  ReferenceDynamicBatcher(
      BatchingSettings settings, int maxBatchSize, int capacity, int maxWeight) {
    this.settings = settings;
    this.maxRows = Math.max(1, maxBatchSize);
    this.capacity = capacity;
    this.maxWeight = maxWeight;
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    long level = level(ticket.priority());
    QueuePolicy policy = settings.priorityQueuePolicies().get(level);
    if (policy == null) {
      policy = settings.defaultQueuePolicy();
    }
    long inLevel = waiting.stream().filter(other -> other.level == level).count();
    boolean full = policy.maxQueueSize() > 0 && inLevel >= policy.maxQueueSize();
    if (stopped && !ticket.isStep()) {
      actions.reject(ticket, Rejection.STOPPING);
    } else if (full || waiting.size() >= capacity) {
      actions.reject(ticket, Rejection.QUEUE_FULL);
    } else {
      waiting.add(new Waiting(ticket, level, policy, expiry(ticket, policy)));
      adaptiveDelay.arrived(ticket.arrivalNanos());
    }
  }

  private long level(long priority) {
    for (long level = 1; level <= settings.priorityLevels(); level++) {
      if (level == priority) {
        return level;
      }
    }
    return settings.priorityLevels() == 0 ? 0 : settings.defaultPriorityLevel();
  }

  private static long expiry(Ticket ticket, QueuePolicy policy) {
    long timeout = policy.defaultTimeoutMicros();
    if (timeout == 0) {
      return Ticket.NEVER;
    }
    if (policy.allowTimeoutOverride() && ticket.timeoutMicros() != 0) {
      timeout = ReferenceTimes.shorter(timeout, ticket.timeoutMicros());
    }
    return ReferenceTimes.plusMicros(ticket.arrivalNanos(), timeout);
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (waiting.removeIf(each -> each.ticket.equals(ticket))) {
      actions.reject(ticket, Rejection.CANCELLED);
    }
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    instances.add(instance, priority);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    if (instances.allReady().contains(instance)) {
      actions.idle(instance);
    }
    instances.remove(instance);
  }

  @Override
  public boolean isRemoved(int instance) {
    return instances.isRemoved(instance);
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    if (!instances.ready(instance)) {
      actions.idle(instance);
    }
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    adaptiveDelay.executed(endNanos);
    instances.finish(instance);
  }

  @Override
  public void stopped() {
    stopped = true;
  }

  @Override
  public int waiting() {
    return waiting.size();
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    for (Waiting each : List.copyOf(waiting)) {
      if (each.isRejectedAt(now)) {
        boolean cancelled = each.ticket.deadlineNanos() <= now;
        actions.reject(each.ticket, cancelled ? Rejection.CANCELLED : Rejection.TIMED_OUT);
        waiting.remove(each);
      }
    }
    waiting.stream()
        .filter(each -> each.isDelayedAt(now) && !delayed.contains(each))
        .sorted(Comparator.comparingLong(Waiting::expiry))
        .toList()
        .forEach(delayed::add);
    for (int instance : instances.allReady()) {
      List<Ticket> queue = queue();
      ReferenceBatch batch = queue.isEmpty() ? null : form(queue, now);
      if (batch == null || batch.waits()) {
        instances.idle(instance);
        actions.idle(instance);
        continue;
      }
      adaptiveDelay.sent(batch);
      List<Ticket> sent = queue.subList(0, batch.size());
      waiting.removeIf(each -> sent.contains(each.ticket));
      instances.start(instance);
      actions.dispatch(instance, sent.toArray(Ticket[]::new), sent.size(), batch.reason());
    }
    List<ReferenceBatch> batches = new ArrayList<>();
    List<Ticket> rest = queue();
    while (!rest.isEmpty()) {
      ReferenceBatch batch = form(rest, now);
      batches.add(batch);
      if (batch.waits()) {
        break;
      }
      rest = rest.subList(batch.size(), rest.size());
    }
    long go = batches.stream().filter(batch -> !batch.waits()).count();
    for (int instance : instances.allIdle()) {
      if (instances.allWoken().size() < go) {
        instances.wake(instance);
        actions.wake(instance);
      }
    }
    boolean last = !batches.isEmpty() && batches.getLast().waits();
    return last && !instances.allIdle().isEmpty()
        ? Math.min(batches.getLast().due(), nearestDeadline())
        : nearestDeadline();
  }

  private ReferenceBatch form(List<Ticket> queue, long now) {
    return adaptiveDelay.apply(ReferenceBatch.form(queue, now, settings, maxRows, maxWeight));
  }

  private List<Ticket> queue() {
    return inOrder().stream().map(Waiting::ticket).toList();
  }

  /** By level; within a level, delayed requests follow the others. */
  private List<Waiting> inOrder() {
    List<Waiting> ordered = new ArrayList<>(waiting);
    ordered.sort(
        Comparator.comparingLong(Waiting::level)
            .thenComparingInt(delayed::indexOf)
            .thenComparingInt(waiting::indexOf));
    return ordered;
  }

  private long nearestDeadline() {
    long nearest = Ticket.NEVER;
    for (Waiting each : waiting) {
      long expiry = delayed.contains(each) ? Ticket.NEVER : each.expiry;
      nearest = Math.min(nearest, Math.min(each.ticket.deadlineNanos(), expiry));
    }
    return nearest;
  }
}
