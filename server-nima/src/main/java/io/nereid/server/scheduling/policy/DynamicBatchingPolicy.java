package io.nereid.server.scheduling.policy;

import io.nereid.config.BatchingSettings;
import io.nereid.server.request.Ticket;
import io.nereid.server.request.TicketQueue;
import java.util.List;

/**
 * {@code dynamic_batching}; without a scheduler, the same with batches of one request. A batch that
 * can go calls an instance, and is formed when that has come: see {@link BatchFormer}. Deadlines
 * are exact: {@link #decide} asks for the next one.
 */
public final class DynamicBatchingPolicy implements SchedulingPolicy {
  private final PriorityQueues queues;
  private final BatchFormer former;
  private final AdaptiveDelay patience = new AdaptiveDelay();
  private final Instances instances = new Instances();
  private boolean stopped;

  /**
   * Makes a batcher without a request and without an instance.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param capacity requests that may wait, whatever the settings say
   */
  public DynamicBatchingPolicy(
      BatchingSettings settings, int maxBatchSize, int capacity, BatchingRule rule) {
    this.queues = new PriorityQueues(settings, capacity);
    this.former =
        new BatchFormer(
            settings.preferredBatchSizes(),
            settings.maxQueueDelayMicros(),
            maxBatchSize,
            rule,
            patience);
  }

  /** A model without a scheduler: each request alone, in order of arrival. */
  public static DynamicBatchingPolicy direct(int capacity) {
    return new DynamicBatchingPolicy(
        BatchingSettings.of(List.of(), 0), 0, capacity, BatchingRule.ALL);
  }

  @Override
  public void arrived(Ticket ticket, long now, SchedulingActions actions) {
    if (stopped && !ticket.isStep()) {
      actions.reject(ticket, Rejection.STOPPING);
    } else if (queues.add(ticket)) {
      patience.arrived(ticket.arrivalNanos());
    } else {
      actions.reject(ticket, Rejection.QUEUE_FULL);
    }
  }

  @Override
  public void cancelled(Ticket ticket, long now, SchedulingActions actions) {
    if (ticket.queue != null) {
      queues.remove(ticket);
      actions.reject(ticket, Rejection.CANCELLED);
    }
  }

  @Override
  public void instanceAdded(int instance, long priority, long now, SchedulingActions actions) {
    instances.add(instance, priority);
  }

  @Override
  public void instanceRemoved(int instance, long now, SchedulingActions actions) {
    if (instances.remove(instance)) {
      actions.idle(instance);
    }
  }

  @Override
  public boolean isRemoved(int instance) {
    return instances.isGone(instance);
  }

  @Override
  public void ready(int instance, long now, SchedulingActions actions) {
    if (!instances.asks(instance)) {
      actions.idle(instance);
    }
  }

  @Override
  public void executed(int instance, long endNanos, long now, SchedulingActions actions) {
    instances.executed(instance);
    patience.executed(endNanos);
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
  public long decide(long now, SchedulingActions actions) {
    queues.expire(now, actions);
    for (int i = instances.firstReady(); i >= 0; i = instances.firstReady()) {
      serve(i, now, actions);
    }
    return Math.min(queues.nearestDeadline(), wake(now, actions));
  }

  /** Gives an instance that asks its batch, or lets it rest. */
  private void serve(int instance, long now, SchedulingActions actions) {
    former.form(queues.first(), now);
    if (former.size() == 0) {
      instances.idle(instance);
      actions.idle(instance);
      return;
    }
    Ticket[] batch = former.batch();
    for (int i = 0; i < former.size(); i++) {
      queues.remove(batch[i]);
    }
    former.dispatched();
    instances.dispatched(instance);
    actions.dispatch(instance, batch, former.size(), former.reason());
    former.forget();
  }

  /**
   * Calls an instance for each batch that could go, beyond those that are on their way; returns
   * when to ask again because the next batch goes then.
   */
  private long wake(long now, SchedulingActions actions) {
    int coming = instances.called();
    Ticket next = queues.first();
    while (next != null && instances.isAnyResting()) {
      former.form(next, now);
      if (former.size() == 0) {
        return former.waitUntil();
      }
      if (coming > 0) {
        coming--;
      } else {
        actions.wake(instances.wake());
      }
      next = TicketQueue.after(former.batch()[former.size() - 1]);
      former.forget();
    }
    return Ticket.NEVER;
  }
}
