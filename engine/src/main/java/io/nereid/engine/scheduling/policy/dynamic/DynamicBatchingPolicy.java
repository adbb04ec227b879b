package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.AdaptiveDelay;
import io.nereid.engine.scheduling.policy.BatchFormer;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.ExecutionTimes;
import io.nereid.engine.scheduling.policy.FormedBatch;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.WaitLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The policy of {@code dynamic_batching}, and of models without a scheduler: the same with batches
 * of one request. It wakes an instance when a batch can be dispatched, and forms the batch when the
 * instance is ready: see {@link BatchFormer}. Deadlines are exact, since {@link #decide} returns
 * the next one.
 */
public final class DynamicBatchingPolicy implements SchedulingPolicy {
  private final WaitLimit waitLimit;
  private final PriorityQueues queues;
  private final ServiceRate service;
  private final BatchFormer former;
  private final AdaptiveDelay adaptiveDelay = new AdaptiveDelay();
  private final Instances instances = new Instances();
  private final ExpectedRequests expected = new ExpectedRequests();
  private boolean stopped;

  /**
   * Creates a policy without requests and instances.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param costs null if the cost of a batch has no limit
   */
  public DynamicBatchingPolicy(
      BatchingSettings settings,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      QueueLimits limits,
      BatchingRule rule) {
    this.waitLimit = new WaitLimit(limits.maxWaitNanos());
    this.queues = new PriorityQueues(settings, limits, waitLimit);
    var times = new ExecutionTimes();
    this.service = new ServiceRate(Math.max(1, maxBatchSize), times);
    this.former =
        new BatchFormer(
            settings.preferredBatchSizes(),
            settings.maxQueueDelayMicros(),
            maxBatchSize,
            costs,
            rule,
            times,
            adaptiveDelay);
  }

  /** The policy of a model without a scheduler: batches of one request, in order of arrival. */
  public static DynamicBatchingPolicy direct(QueueLimits limits) {
    return new DynamicBatchingPolicy(
        BatchingSettings.of(List.of(), 0), 0, /* costs= */ null, limits, BatchingRule.ALL);
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    if (stopped && !ticket.isStep()) {
      actions.reject(ticket, Rejection.STOPPING);
      return;
    }
    if (ticket.isAnnounced()) {
      expected.arrived(ticket.client());
    }
    PredictedWait tooLong = refusal(ticket, 0, now);
    if (tooLong != null) {
      actions.refuse(ticket, tooLong);
      return;
    }
    Rejection rejection = queues.add(ticket, actions);
    if (rejection == null) {
      adaptiveDelay.arrived(ticket.arrivalNanos());
    } else {
      actions.reject(ticket, rejection);
    }
  }

  @Override
  public @Nullable PredictedWait announced(Ticket ticket, long now) {
    if (stopped || !waitLimit.concerns(ticket, 0)) {
      return null;
    }
    PredictedWait tooLong = refusal(ticket, expected.ahead(ticket.client(), now), now);
    if (tooLong == null) {
      expected.add(ticket.client(), now);
    }
    return tooLong;
  }

  /**
   * The refusal of a request by the wait that is predicted for it; null to admit it.
   *
   * @param requestsMore requests of one row ahead of it, besides those that wait
   */
  private @Nullable PredictedWait refusal(Ticket ticket, int requestsMore, long now) {
    long timeout = ticket.timeoutMicros() == 0 ? 0 : queues.timeoutMicros(ticket);
    if (!waitLimit.concerns(ticket, timeout) || !service.isMeasured()) {
      return null;
    }
    long rowsAhead = queues.rowsAhead(ticket) + requestsMore;
    return waitLimit.refusal(
        ticket,
        timeout,
        service.waitNanos(rowsAhead, now),
        service.executionNanos(rowsAhead, ticket.rows()),
        queues.requestsAhead(ticket) + requestsMore,
        now);
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.queue != null) {
      queues.withdraw(ticket);
      actions.reject(ticket, Rejection.CANCELLED);
    }
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    instances.add(instance, priority);
    service.added(instance);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    service.removed(instance);
    if (instances.remove(instance)) {
      actions.idle(instance);
    }
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
    service.cutShort(instance);
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    instances.executed(instance);
    service.executed(instance, now);
    adaptiveDelay.executed(endNanos);
  }

  @Override
  public void stopped() {
    stopped = true;
  }

  @Override
  public int waiting() {
    return queues.size();
  }

  @Override
  public long waitNanos(long now) {
    return service.isMeasured() ? service.waitNanos(queues.rows(), now) : 0;
  }

  @Override
  public long decide(long now, SchedulingActions actions) {
    queues.expire(now, actions);
    for (int i = instances.firstReady(); i >= 0; i = instances.firstReady()) {
      serve(i, now, actions);
    }
    return Math.min(queues.nearestDeadline(), wake(now, actions));
  }

  /** Dispatches a batch to a ready instance, or makes it idle. */
  private void serve(int instance, long now, SchedulingActions actions) {
    FormedBatch batch = former.batch();
    former.form(queues.first(), now);
    if (batch.size == 0) {
      instances.idle(instance);
      actions.idle(instance);
      return;
    }
    long rows = 0;
    for (int i = 0; i < batch.size; i++) {
      rows += batch.request(i).rows();
      queues.serve(batch.request(i));
    }
    former.dispatched();
    instances.dispatched(instance);
    service.dispatched(instance, rows, queues.size() > 0, now);
    actions.dispatch(instance, batch.tickets, batch.size, batch.reason);
    batch.forget();
  }

  /**
   * Wakes one instance for each batch that can be dispatched, less those already woken.
   *
   * @return when the next batch can be dispatched
   */
  private long wake(long now, SchedulingActions actions) {
    FormedBatch batch = former.batch();
    long waitUntil = Ticket.NEVER;
    int woken = instances.woken();
    Ticket first = queues.first();
    Ticket next = first;
    while (next != null && instances.hasIdle()) {
      former.form(next, now);
      if (batch.size == 0) {
        waitUntil = batch.waitUntil;
        break;
      }
      if (woken > 0) {
        woken--;
      } else {
        actions.wake(instances.wake());
      }
      next = former.following(first);
      batch.forget();
    }
    former.release();
    return waitUntil;
  }
}
