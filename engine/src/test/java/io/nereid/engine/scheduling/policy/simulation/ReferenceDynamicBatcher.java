package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reference model of the dynamic batcher: a list of waiting requests in order of arrival, and
 * the shares of their clients, from which each decision is computed anew.
 */
final class ReferenceDynamicBatcher implements SchedulingPolicy {
  /**
   * A waiting request.
   *
   * @param expiry when the timeout of its queue policy expires
   * @param latestStart when the server's limit of its wait passes
   */
  private record Waiting(
      Ticket ticket, long level, QueuePolicy policy, long expiry, long latestStart) {
    boolean isRejectedAt(long now) {
      return ticket.deadlineNanos() <= now
          || latestStart <= now
          || isExpiredAt(now, TimeoutAction.REJECT);
    }

    Rejection rejectionAt(long now) {
      if (ticket.deadlineNanos() <= now) {
        return Rejection.CANCELLED;
      }
      return latestStart <= now ? Rejection.WAITED_TOO_LONG : Rejection.TIMED_OUT;
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
  private final QueueLimits limits;
  private final @Nullable BatchCostSettings costs;
  private final int maxWeight;

  /** All waiting requests, in order of arrival. */
  private final List<Waiting> waiting = new ArrayList<>();

  /** The delayed requests, in the order in which their timeouts were detected. */
  private final List<Waiting> delayed = new ArrayList<>();

  private final Map<Long, ReferenceShares> shares = new HashMap<>();

  private final ReferenceWaits waits;
  private final ReferenceInstances instances = new ReferenceInstances();
  private boolean stopped;

  private final ReferenceAdaptiveDelay adaptiveDelay = new ReferenceAdaptiveDelay();

  ReferenceDynamicBatcher(
      BatchingSettings settings,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      QueueLimits limits,
      int maxWeight) {
    this.settings = settings;
    this.maxRows = Math.max(1, maxBatchSize);
    this.limits = limits;
    this.waits = new ReferenceWaits(maxRows);
    this.costs = costs;
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
    boolean full =
        waiting.size() >= limits.requests()
            || (policy.maxQueueSize() > 0 && inLevel >= policy.maxQueueSize());
    List<Ticket> behind = full ? shares(level).behind(ticket) : List.of();
    if (stopped && !ticket.isStep()) {
      actions.reject(ticket, Rejection.STOPPING);
      return;
    }
    PredictedWait prediction = prediction(ticket, level, policy, now);
    if (prediction.nanos() > 0 && prediction.nanos() >= prediction.limitNanos()) {
      actions.refuse(ticket, prediction);
    } else if (full && behind.stream().allMatch(Ticket::isStep)) {
      actions.reject(ticket, Rejection.QUEUE_FULL);
    } else if (isAboveShare(ticket)) {
      actions.reject(ticket, Rejection.QUEUE_SHARE);
    } else {
      for (Ticket replaced : behind) {
        shares(level).withdraw(replaced);
        waiting.removeIf(each -> each.ticket.equals(replaced));
        actions.reject(replaced, Rejection.QUEUE_FULL);
      }
      shares(level).add(ticket);
      waiting.add(new Waiting(ticket, level, policy, expiry(ticket, policy), latestStart(ticket)));
      adaptiveDelay.arrived(ticket.arrivalNanos());
    }
  }

  /**
   * Whether its client has as many waiting requests as it may; the share is not reached by so few.
   */
  private boolean isAboveShare(Ticket ticket) {
    long own =
        waiting.stream().filter(each -> each.ticket.client().equals(ticket.client())).count();
    return limits.clientRequests() != QueueLimits.SHARE && own >= limits.clientRequests();
  }

  private ReferenceShares shares(long level) {
    return shares.computeIfAbsent(level, _ -> new ReferenceShares(!settings.preserveOrdering()));
  }

  private PredictedWait prediction(Ticket ticket, long level, QueuePolicy policy, long now) {
    List<Ticket> ahead = new ArrayList<>(shares(level).ahead(ticket));
    waiting.stream().filter(each -> each.level < level).forEach(each -> ahead.add(each.ticket));
    long latestStart = latestStart(ticket);
    boolean ownTimeout =
        policy.allowTimeoutOverride()
            && ticket.timeoutMicros() != 0
            && policy.defaultTimeoutMicros() != 0
            && ReferenceTimes.shorter(policy.defaultTimeoutMicros(), ticket.timeoutMicros())
                != policy.defaultTimeoutMicros();
    if (ownTimeout && policy.timeoutAction() == TimeoutAction.REJECT) {
      latestStart =
          Math.min(
              latestStart,
              ReferenceTimes.plusMicros(ticket.arrivalNanos(), ticket.timeoutMicros()));
    }
    boolean limited = latestStart != Ticket.NEVER || ticket.deadlineNanos() != Ticket.NEVER;
    return limited && !ticket.isStep()
        ? waits.prediction(ticket, ahead, latestStart, now)
        : new PredictedWait(0, 0, 0);
  }

  private long latestStart(Ticket ticket) {
    return ticket.isStep() || limits.maxWaitNanos() == Ticket.NEVER
        ? Ticket.NEVER
        : ticket.arrivalNanos() + limits.maxWaitNanos();
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
      shares.values().forEach(each -> each.withdraw(ticket));
      actions.reject(ticket, Rejection.CANCELLED);
    }
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    instances.add(instance, priority);
    waits.added(instance);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    if (instances.allReady().contains(instance)) {
      actions.idle(instance);
    }
    instances.remove(instance);
    waits.removed(instance);
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
  public void cutShort(int instance, long now, SchedulingActions actions) {
    waits.cutShort(instance);
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    adaptiveDelay.executed(endNanos);
    instances.finish(instance);
    waits.executed(instance, now);
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
        actions.reject(each.ticket, each.rejectionAt(now));
        waiting.remove(each);
        shares(each.level).withdraw(each.ticket);
      }
    }
    waiting.stream()
        .filter(each -> each.isDelayedAt(now) && !delayed.contains(each))
        .sorted(Comparator.comparingLong(Waiting::expiry))
        .toList()
        .forEach(each -> {
          delayed.add(each);
          shares(each.level).withdraw(each.ticket);
        });
    for (int instance : instances.allReady()) {
      List<Ticket> queue = considered(inOrder());
      ReferenceBatch batch = queue.isEmpty() ? null : form(queue, now);
      if (batch == null || batch.waits()) {
        instances.idle(instance);
        actions.idle(instance);
        continue;
      }
      adaptiveDelay.sent(batch);
      List<Ticket> sent = queue.subList(0, batch.size());
      sent.forEach(each -> shares.values().forEach(level -> level.serve(each)));
      waiting.removeIf(each -> sent.contains(each.ticket));
      instances.start(instance);
      waits.dispatched(instance, sent, !waiting.isEmpty(), now);
      actions.dispatch(instance, sent.toArray(Ticket[]::new), sent.size(), batch.reason());
    }
    List<ReferenceBatch> batches = new ArrayList<>();
    List<Waiting> rest = inOrder();
    while (!rest.isEmpty()) {
      List<Ticket> queue = considered(rest);
      ReferenceBatch batch = form(queue, now);
      batches.add(batch);
      if (batch.waits()) {
        break;
      }
      List<Ticket> formed = queue.subList(0, batch.size());
      rest = rest.stream().filter(each -> !formed.contains(each.ticket)).toList();
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
    return adaptiveDelay.apply(
        ReferenceBatch.form(
            queue, now, settings, maxRows, costs, maxWeight, waits::executionNanos));
  }

  /**
   * The waiting requests in the order in which they are considered for the next batch: the first,
   * its neighbours by their distance, the others.
   */
  private List<Ticket> considered(List<Waiting> queue) {
    List<Ticket> inOrder = queue.stream().map(Waiting::ticket).toList();
    if (queue.isEmpty() || costs == null || costs.maxReorderingMicros() == 0) {
      return inOrder;
    }
    Waiting front = queue.getFirst();
    long latest =
        ReferenceTimes.plusMicros(front.ticket.arrivalNanos(), costs.maxReorderingMicros());
    Set<Ticket> considered = new LinkedHashSet<>(List.of(front.ticket));
    queue.stream()
        .skip(1)
        .filter(each -> each.level == front.level)
        .filter(each -> delayed.contains(each) == delayed.contains(front))
        .limit(4L * maxRows)
        .map(Waiting::ticket)
        .filter(each -> each.arrivalNanos() < latest)
        .filter(each -> each.batchKey().equals(front.ticket.batchKey()))
        .sorted(Comparator.comparingInt(each -> Math.abs(each.weight() - front.ticket.weight())))
        .forEach(considered::add);
    considered.addAll(inOrder);
    return List.copyOf(considered);
  }

  /**
   * By level; within a level as the clients' shares are, and delayed requests follow the others.
   */
  private List<Waiting> inOrder() {
    List<Waiting> ordered = new ArrayList<>(waiting);
    ordered.sort(
        Comparator.comparingLong(Waiting::level)
            .thenComparingInt(delayed::indexOf)
            .thenComparingInt(each -> shares(each.level).place(each.ticket)));
    return ordered;
  }

  private long nearestDeadline() {
    long nearest = Ticket.NEVER;
    for (Waiting each : waiting) {
      long expiry = delayed.contains(each) ? Ticket.NEVER : each.expiry;
      nearest = Math.min(nearest, Math.min(each.ticket.deadlineNanos(), expiry));
      nearest = Math.min(nearest, each.latestStart);
    }
    return nearest;
  }
}
