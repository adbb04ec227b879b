package io.nereid.server.scheduling;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.server.execution.ExecutionListener;
import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.request.PendingRequest;
import io.nereid.server.request.ResponseOrder;
import io.nereid.server.scheduling.EventRing.Kind;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link SchedulingPolicy}. Everything that happens goes through one ring, and is decided
 * upon by one thread at a time, but not by a thread of its own: whoever brings an event and finds
 * nobody deciding, decides. So a request crosses one hand-off, to the instance that executes it: it
 * calls that, and whatever waits when its thread has come is the batch. An instance that has
 * finished takes its next batch itself, and an idle model has no thread that runs.
 *
 * <p>Deciding never blocks. Answers of rejected requests are given by the deciding thread, so
 * receivers must not block either.
 */
public final class SchedulerLoop implements Scheduler, ExecutionListener, PendingRequest.Holder {
  private static final System.Logger LOG = System.getLogger(SchedulerLoop.class.getName());

  private final SchedulingPolicy policy;
  private final InstanceGroup instances;
  private final Clock clock;
  private final Alarm alarm;
  private final BatchKeys batchKeys;
  private final EventRing ring;
  private final SchedulingEffects actions;
  private final @Nullable ResponseOrder order;

  /** Events brought and not decided upon yet; who raises it from 0 decides until it is 0 again. */
  private final AtomicInteger brought = new AtomicInteger();

  /** Instances that were removed and may still have something to run. */
  private final BitSet leaving = new BitSet();

  private final CompletableFuture<@Nullable Void> sequencesOver = new CompletableFuture<>();

  /** Whether new requests are rejected. */
  private boolean stopped;

  /** Whether requests waited after the last decision; only where instances take turns. */
  private volatile boolean waiting;

  /** The time of the decision being made. */
  private long now;

  /**
   * Puts a scheduler before instances that are open and rest.
   *
   * @param capacity events that may be on their way; a power of two
   */
  static SchedulerLoop start(
      ModelConfig config,
      SchedulingPolicy policy,
      InstanceGroup instances,
      Clock clock,
      int capacity) {
    var loop = new SchedulerLoop(config, policy, instances, clock, capacity);
    instances.listen(loop);
    for (int i = 0; i < instances.size(); i++) {
      if (instances.isActive(i)) {
        loop.addInstance(i);
      }
    }
    return loop;
  }

  private SchedulerLoop(
      ModelConfig config,
      SchedulingPolicy policy,
      InstanceGroup instances,
      Clock clock,
      int capacity) {
    this.policy = policy;
    this.instances = instances;
    this.clock = clock;
    this.alarm = clock.alarm(this::decide);
    this.batchKeys = new BatchKeys(config);
    this.ring = new EventRing(capacity, this::take);
    this.actions = new SchedulingEffects(instances, clock);
    this.order = preservesOrdering(config) ? new ResponseOrder() : null;
  }

  private static boolean preservesOrdering(ModelConfig config) {
    return config.scheduling() instanceof BatchingSettings batching && batching.preserveOrdering();
  }

  @Override
  public void submit(PendingRequest request) {
    request.batchKey(batchKeys.of(request.request()));
    request.queued();
    request.heldBy(this);
    if (ring.offer(Kind.ARRIVED, request, 0, 0)) {
      decide();
    } else {
      actions.reject(request, Rejection.QUEUE_FULL);
    }
  }

  @Override
  public void cancelled(PendingRequest request) {
    bring(Kind.CANCELLED, request, 0, 0);
  }

  @Override
  public boolean hasWaiting() {
    return waiting;
  }

  @Override
  public void ready(int instance) {
    bring(Kind.READY, null, instance, 0);
  }

  @Override
  public void executed(int instance, long endNanos) {
    bring(Kind.EXECUTED, null, instance, endNanos);
  }

  @Override
  public void rescheduled(SequencePlace place) {
    PendingRequest request = ((SequencedRequest) place).request();
    request.heldBy(this);
    bring(Kind.RESCHEDULED, request, 0, 0);
  }

  /** There is another instance, open and resting. From any thread. */
  public void addInstance(int instance) {
    bring(Kind.INSTANCE_ADDED, null, instance, 0);
  }

  /**
   * An instance is to get no new work, and is retired once it has run what it must: a sequence that
   * has its slot there keeps it to its end. From any thread.
   */
  public void removeInstance(int instance) {
    instances.drain(instance);
    bring(Kind.INSTANCE_REMOVED, null, instance, 0);
  }

  @Override
  public CompletableFuture<?> stop() {
    bring(Kind.STOPPED, null, 0, 0);
    return sequencesOver;
  }

  @Override
  public void close() {
    alarm.close();
    actions.close();
  }

  private void bring(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    ring.add(kind, request, instance, nanos);
    decide();
  }

  /** Decides upon all that has been brought, unless another thread is at it, which then goes on. */
  private void decide() {
    if (brought.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        now = clock.nanos();
        ring.drain();
        alarm.set(policy.decide(now, actions));
        if (instances.isLimited()) {
          waiting = policy.waiting() > 0;
        }
        retire();
        if (stopped && !policy.hasSequences()) {
          sequencesOver.complete(null);
        }
      } catch (Throwable bug) { // the model must not stand still for it
        LOG.log(Level.ERROR, "a scheduler failed unexpectedly", bug);
      }
      seen = brought.addAndGet(-seen);
    } while (seen != 0);
  }

  /** Retires the instances that nothing will be dispatched to any more. */
  private void retire() {
    for (int i = leaving.nextSetBit(0); i >= 0; i = leaving.nextSetBit(i + 1)) {
      if (policy.isRemoved(i)) {
        leaving.clear(i);
        instances.retire(i);
      }
    }
  }

  private void removed(int instance) {
    policy.instanceRemoved(instance, now, actions);
    leaving.set(instance);
  }

  /** Tells the policy what has happened. */
  private void take(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    try {
      switch (kind) {
        case ARRIVED -> arrived(Objects.requireNonNull(request));
        case CANCELLED -> policy.cancelled(Objects.requireNonNull(request), now, actions);
        case RESCHEDULED -> rescheduled(Objects.requireNonNull(request));
        case READY -> policy.ready(instance, now, actions);
        case EXECUTED -> finished(instance, nanos);
        case INSTANCE_ADDED ->
            policy.instanceAdded(instance, instances.priority(instance), now, actions);
        case INSTANCE_REMOVED -> removed(instance);
        case STOPPED -> stopped();
      }
    } catch (Throwable bug) { // the events behind it must be taken all the same
      LOG.log(Level.ERROR, "a scheduler failed unexpectedly", bug);
    }
  }

  private void stopped() {
    policy.stopped();
    stopped = true;
  }

  private void arrived(PendingRequest request) {
    if (order != null) {
      order.enter(request.promise());
    }
    if (request.promise().isDecided()) {
      actions.reject(request, Rejection.CANCELLED); // called off before it was queued
    } else {
      policy.arrived(request, now, actions);
    }
  }

  /** Whoever has executed a batch is awake, and asks for the next one, unless others have turns. */
  private void finished(int instance, long endNanos) {
    policy.executed(instance, endNanos, now, actions);
    if (!instances.isLimited()) {
      policy.ready(instance, now, actions);
    }
  }

  private void rescheduled(PendingRequest request) {
    policy.rescheduled(request, now, actions);
    if (request.promise().isDecided()) {
      policy.cancelled(request, now, actions); // called off while it was executed
    }
  }
}
