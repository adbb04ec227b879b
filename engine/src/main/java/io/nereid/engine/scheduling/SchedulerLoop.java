package io.nereid.engine.scheduling;

import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.ExecutionListener;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponseOrder;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.Clock.Alarm;
import io.nereid.engine.scheduling.EventRing.Kind;
import io.nereid.engine.scheduling.SchedulingEffects.Borrower;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.request.ModelKey;
import io.nereid.spi.BatchingStrategy;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler that runs a {@link SchedulingPolicy} without a thread of its own. All events go
 * through one ring. The thread that publishes an event while no other thread decides drains the
 * ring and decides, also on events that others publish meanwhile. So a request changes threads
 * once, to the instance that executes it: its arrival wakes an instance, whose batch is formed when
 * its thread is ready. After a batch, the instance's thread dispatches the next one to itself.
 *
 * <p>A decision does not block. The deciding thread completes the promises of rejected requests, so
 * their receivers must not block either.
 */
public final class SchedulerLoop implements Scheduler, ExecutionListener, PendingRequest.Holder {
  /** When to decide again after a decision has failed. */
  private static final long RETRY_NANOS = 1_000_000_000;

  /** Decides in place of the threads that publish, where a backend takes part; null elsewhere. */
  private final @Nullable Executor decider;

  private final ThreadGuard guard;
  private final SchedulingPolicy policy;
  private final DecisionJournal journal;
  private final InstanceGroup instances;
  private final Clock clock;
  private final Alarm alarm;
  private final BatchKeys batchKeys;
  private final EventRing ring;
  private final SchedulingEffects actions;
  private final @Nullable ResponseOrder order;

  /** Whether every request's wait is limited, also without a deadline. */
  private final boolean limitsWait;

  /**
   * Calls of {@link #decide} not yet handled; the thread that raises it from 0 handles them all.
   */
  private final AtomicInteger pendingDecisions = new AtomicInteger();

  private final AwaitingThreads threads = new AwaitingThreads();

  /** Removed instances that may still get batches. */
  private final BitSet draining = new BitSet();

  private final CompletableFuture<@Nullable Void> sequencesEnded = new CompletableFuture<>();

  private boolean stopped;

  /** Whether requests waited after the last decision; set only with a rate limiter. */
  private volatile boolean waiting;

  /** The time of the current decision. */
  private long now;

  /** What {@link #waitNanos()} returns; written by decisions. */
  private volatile long waitNanos;

  /**
   * Starts the scheduler of a model.
   *
   * @param instances open and idle
   * @param limits of the queue; the number of requests, a power of two, is also that of events in
   *     the ring
   * @param journal of the decisions
   */
  public static SchedulerLoop start(
      InstanceGroup instances, Clock clock, QueueLimits limits, DecisionJournal journal) {
    ModelKey key = instances.model().key();
    ModelConfig config = instances.model().config();
    Optional<BatchingStrategy> strategy = instances.model().model().batchingStrategy();
    BatchingRule rule = strategy.<BatchingRule>map(StrategyRule::new).orElse(BatchingRule.ALL);
    SchedulingPolicy policy = journal.policy(key, config, instances.size(), limits, rule);
    Executor decider = strategy.isPresent() ? new StrategyThread(key) : null;
    var loop = new SchedulerLoop(config, policy, journal, instances, clock, limits, decider);
    instances.listen(loop);
    for (int i = 0; i < instances.size(); i++) {
      if (instances.instance(i).isActive()) {
        loop.addInstance(i);
      }
    }
    return loop;
  }

  private SchedulerLoop(
      ModelConfig config,
      SchedulingPolicy policy,
      DecisionJournal journal,
      InstanceGroup instances,
      Clock clock,
      QueueLimits limits,
      @Nullable Executor decider) {
    this.decider = decider;
    this.guard = new ThreadGuard("scheduler of model '%s'".formatted(config.name()));
    this.policy = policy;
    this.journal = journal;
    this.instances = instances;
    this.clock = clock;
    this.alarm = clock.alarm(this::decide);
    this.batchKeys = new BatchKeys(config);
    this.ring = new EventRing(limits.requests(), this::handle);
    this.actions = new SchedulingEffects(instances, clock);
    this.limitsWait = limits.maxWaitNanos() != Ticket.NEVER;
    this.order = preservesOrdering(config) ? new ResponseOrder() : null;
  }

  private static boolean preservesOrdering(ModelConfig config) {
    return config.scheduling() instanceof BatchingSettings batching && batching.preserveOrdering();
  }

  @Override
  public void submit(PendingRequest request) {
    batchKeys.mark(request);
    request.queued();
    request.heldBy(this);
    Borrower borrower = threads.borrower(request);
    if (ring.offer(Kind.ARRIVED, request, 0, 0)) {
      int lent = decide(borrower);
      if (lent != SchedulingEffects.NONE) {
        runLent(lent);
      }
    } else {
      actions.reject(request, Rejection.QUEUE_FULL);
    }
  }

  /** Does not throw: the request that was submitted is not the caller's any more. */
  private void runLent(int instance) {
    try {
      instances.instance(instance).runLent();
    } catch (Throwable bug) {
      guard.failed(bug);
    }
  }

  @Override
  public void answerCached(PendingRequest request) {
    if (order == null) {
      request.answerCached();
    } else if (ring.offer(Kind.ANSWERED, request, 0, 0)) {
      decide();
    } else {
      actions.reject(request, Rejection.QUEUE_FULL); // behind an overflow it would lose its place
    }
  }

  @Override
  public void announce(PendingRequest head) {
    boolean limited = limitsWait || head.deadlineNanos() != Ticket.NEVER;
    if (limited && ring.offer(Kind.ANNOUNCED, head, 0, 0)) {
      decide();
    } else {
      head.close();
    }
  }

  @Override
  public void cancelled(PendingRequest request) {
    publish(Kind.CANCELLED, request, 0, 0);
  }

  @Override
  public boolean hasWaiting() {
    return waiting;
  }

  @Override
  public void ready(int instance) {
    publish(Kind.READY, null, instance, 0);
  }

  @Override
  public void cutShort(int instance) {
    publish(Kind.CUT_SHORT, null, instance, 0);
  }

  @Override
  public void executed(int instance, long endNanos) {
    publish(Kind.EXECUTED, null, instance, endNanos);
  }

  @Override
  public void finished(int instance, long endNanos) {
    publish(Kind.FINISHED, null, instance, endNanos);
  }

  @Override
  public void rescheduled(PendingRequest request) {
    request.heldBy(this);
    publish(Kind.RESCHEDULED, request, 0, 0);
  }

  /** Adds an instance that is open and idle. Thread-safe. */
  public void addInstance(int instance) {
    publish(Kind.INSTANCE_ADDED, null, instance, 0);
  }

  /**
   * Removes an instance. It gets no new work, and is retired when its batch and the sequences with
   * a slot on it have ended. Thread-safe.
   */
  public void removeInstance(int instance) {
    instances.instance(instance).drain();
    publish(Kind.INSTANCE_REMOVED, null, instance, 0);
  }

  @Override
  public long waitNanos() {
    publish(Kind.ASKED, null, 0, 0);
    return waitNanos;
  }

  @Override
  public CompletableFuture<?> stop() {
    publish(Kind.STOPPED, null, 0, 0);
    return sequencesEnded;
  }

  @Override
  public void close() {
    alarm.close();
    actions.close();
  }

  /** Ends the journal of this scheduler. Called once its instances are closed. */
  public void endJournal() {
    journal.ended(policy);
  }

  private void publish(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    ring.add(kind, request, instance, nanos);
    decide();
  }

  private void decide() {
    int _ = decide(Borrower.NONE);
  }

  /**
   * Handles all events and decides, unless another thread does: then that thread repeats it.
   *
   * @param borrower as whom the calling thread may borrow an instance that is woken
   * @return the instance that was lent, or {@link SchedulingEffects#NONE}
   */
  private int decide(Borrower borrower) {
    if (pendingDecisions.getAndIncrement() != 0) {
      return SchedulingEffects.NONE;
    }
    if (decider != null) {
      try {
        decider.execute(() -> {
          int _ = decideAll(Borrower.NONE);
        });
        return SchedulingEffects.NONE;
      } catch (Throwable notStarted) { // the next decisions wait for this one
        guard.failed(notStarted);
      }
    }
    return decideAll(borrower);
  }

  private int decideAll(Borrower borrower) {
    int lent = SchedulingEffects.NONE;
    int seen = 1;
    do {
      try {
        now = clock.nanos();
        actions.lend(lent == SchedulingEffects.NONE ? borrower : Borrower.NONE);
        ring.drain();
        decidePolicy();
        if (instances.isLimited()) {
          waiting = policy.waiting() > 0;
        }
        retire();
        if (stopped && !policy.hasSequences()) {
          sequencesEnded.complete(null);
        }
      } catch (Throwable bug) { // the model must stay available
        guard.failed(bug);
        retry();
      }
      lent = Math.max(lent, actions.lent());
      seen = pendingDecisions.addAndGet(-seen);
    } while (seen != 0);
    return lent;
  }

  /** Has what a failure may have left in the ring handled. Does not throw. */
  private void retry() {
    try {
      alarm.set(now + RETRY_NANOS);
    } catch (Throwable bug) { // the next event will do
      guard.failed(bug);
    }
  }

  /** Has the policy decide. If it fails, its requests may still wait for a time. */
  private void decidePolicy() {
    long wakeNanos = now + RETRY_NANOS;
    try {
      wakeNanos = policy.decide(now, actions);
    } finally {
      alarm.set(wakeNanos);
    }
  }

  /** Retires the removed instances that get no batch any more. */
  private void retire() {
    for (int i = draining.nextSetBit(0); i >= 0; i = draining.nextSetBit(i + 1)) {
      if (policy.isRemoved(i)) {
        draining.clear(i);
        instances.instance(i).retire();
      }
    }
  }

  private void removed(int instance) {
    policy.instanceRemoved(instance, now, actions);
    draining.set(instance);
  }

  private void handle(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    try {
      switch (kind) {
        case ARRIVED -> arrived(Objects.requireNonNull(request));
        case ANSWERED -> answered(Objects.requireNonNull(request));
        case ANNOUNCED -> announced(Objects.requireNonNull(request));
        case CANCELLED -> policy.cancelled(Objects.requireNonNull(request), now, actions);
        case RESCHEDULED -> handleRescheduled(Objects.requireNonNull(request));
        case READY -> policy.ready(instance, now, actions);
        case CUT_SHORT -> policy.cutShort(instance, now, actions);
        case EXECUTED -> handleExecuted(instance, nanos);
        case FINISHED -> policy.executed(instance, nanos, now, actions);
        case INSTANCE_ADDED ->
            policy.instanceAdded(instance, instances.instance(instance).priority(), now, actions);
        case INSTANCE_REMOVED -> removed(instance);
        case ASKED -> waitNanos = policy.waitNanos(now);
        case STOPPED -> stopped();
      }
    } catch (Throwable bug) { // the following events must be handled
      guard.failed(bug);
    }
  }

  private void stopped() {
    policy.stopped();
    stopped = true;
  }

  private void arrived(PendingRequest request) {
    try {
      if (order != null) {
        order.enter(request.promise());
      }
      if (request.promise().isDecided()) {
        actions.reject(request, Rejection.CANCELLED); // cancelled before it was queued
      } else {
        policy.arrived(request, now, actions);
      }
    } catch (Throwable bug) { // or no memory: a request that is in no queue must end
      guard.failed(bug);
      if (request.queue == null && request.sequence == null) {
        actions.fail(request, bug);
      }
    }
  }

  private void announced(PendingRequest head) {
    PredictedWait tooLong = head.promise().isDecided() ? null : policy.announced(head, now);
    if (tooLong == null) {
      head.close();
    } else {
      actions.refuse(head, tooLong);
    }
  }

  /** The place in the order is that of the arrival, as for a request that is executed. */
  private void answered(PendingRequest request) {
    if (order != null) {
      order.enter(request.promise());
    }
    request.answerCached();
  }

  /** Without a rate limiter, an instance that has executed a batch is ready for the next one. */
  private void handleExecuted(int instance, long endNanos) {
    policy.executed(instance, endNanos, now, actions);
    if (!instances.isLimited()) {
      policy.ready(instance, now, actions);
    }
  }

  private void handleRescheduled(PendingRequest request) {
    policy.rescheduled(request, now, actions);
    if (request.promise().isDecided()) {
      policy.cancelled(request, now, actions); // cancelled while it was executed
    }
  }
}
