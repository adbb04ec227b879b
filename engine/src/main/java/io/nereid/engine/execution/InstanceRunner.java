package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.engine.execution.ratelimit.InstancePermit;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.warmup.WarmupSample;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.engine.thread.ThreadGuard;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.PipelinedInstance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The thread of one instance: opens it, warms it up, executes the batches dispatched to it, closes
 * it. No other thread calls the instance, except for {@link ModelInstance#isHealthy}, and to
 * execute batches while the instance is lent to that thread.
 */
final class InstanceRunner {
  /** The most batches that a thread executes in a row which needs the response to one. */
  private static final int MAX_LENT_BATCHES = 4;

  private final InstanceGroup.Settings group;
  private final InstanceSettings settings;
  private final int number;
  private final Supplier<ExecutionListener> listener;
  private final Runnable reportReady;
  private final InstanceStatistics statistics;
  private final InstancePermit permit;
  private final CompletableFuture<ModelInstance> opened = new CompletableFuture<>();
  private final ThreadGuard guard;
  private final Thread thread;
  private final InstanceInbox inbox;
  private final InstanceHealth health;
  private final DetachedRequests detached;

  /** What the thread executes before the instance is open; dropped then. */
  private List<WarmupSample> samples;

  private volatile boolean draining;

  /** Whether a stop interrupts the thread. */
  private volatile boolean opening = true;

  /** One for each batch in flight; set before the instance is open. */
  private volatile List<ExecutionMeter> meters = List.of();

  /** What a thread executes that the instance is lent to; null if it is never lent. */
  private volatile @Nullable SerialExecutions lendable;

  /** Whether a thread for which others wait may execute it; set before {@link #lendable}. */
  private boolean bounded;

  /**
   * @param number the instance's number in its group
   * @param samples the warm-up, valid until {@link #awaitOpen} returns; passive instances have none
   * @param listener the group's scheduler; called by this thread
   * @param statistics those of the instance that had the number before, or new ones
   * @param onFailure told when the instance cannot execute batches any more; called by this thread
   * @throws InferenceException if the instance needs more resources than there can ever be
   */
  InstanceRunner(
      InstanceGroup.Settings group,
      InstanceSettings settings,
      int number,
      List<WarmupSample> samples,
      Supplier<ExecutionListener> listener,
      Supplier<InstanceStatistics> statistics,
      Consumer<InferenceException> onFailure) {
    this.group = group;
    this.settings = settings;
    this.number = number;
    this.samples = settings.passive() ? List.of() : samples;
    this.listener = listener;
    this.reportReady = () -> listener.get().ready(number);
    this.guard = new ThreadGuard("instance " + settings.name());
    this.thread =
        Thread.ofPlatform().daemon().name("instance " + settings.name()).unstarted(this::run);
    this.inbox = new InstanceInbox(thread);
    this.detached =
        new DetachedRequests(
            group.maxDetached(), () -> group.statistics().detached(), inbox::unparkAny);
    this.health = new InstanceHealth(group.config().name(), settings.name(), onFailure);
    RateLimiter limiter = settings.passive() ? RateLimiter.OFF : group.limiter();
    this.permit = limiter.register(settings, inbox::wake);
    this.statistics = statistics.get(); // last, so that a rejected instance adds none
  }

  InstanceSettings settings() {
    return settings;
  }

  /** What the thread counts; may be passed on once it {@link #hasEnded}. */
  InstanceStatistics statistics() {
    return statistics;
  }

  void start() {
    thread.start();
  }

  /**
   * Waits until the instance is open and warm.
   *
   * @throws InferenceException if it could not be opened or has failed the warm-up; CANCELLED if
   *     the calling thread is interrupted, as when that takes too long
   */
  void awaitOpen() {
    try {
      var _ = opened.get();
    } catch (InterruptedException late) {
      Thread.currentThread().interrupt();
      throw InferenceException.cancelled();
    } catch (ExecutionException failed) {
      throw InstanceExecutions.asInferenceException("", settings.name(), failed.getCause());
    }
  }

  boolean isHealthy() {
    ModelInstance instance = instance();
    return instance != null && instance.isHealthy();
  }

  /** Whether the instance has a method {@link ModelInstance#isHealthy} of its own. */
  boolean asksForHealth() {
    ModelInstance instance = instance();
    try {
      return instance != null
          && !instance
              .getClass()
              .getMethod("isHealthy")
              .getDeclaringClass()
              .equals(ModelInstance.class);
    } catch (NoSuchMethodException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Null unless it is open. */
  private @Nullable ModelInstance instance() {
    return opened.isCompletedExceptionally() ? null : opened.getNow(null);
  }

  /**
   * When the oldest batch in flight began, by the clock of the group; {@link ExecutionMeter#IDLE}
   * if there is none. A snapshot, from any thread.
   */
  long executingSince() {
    long since = ExecutionMeter.IDLE;
    for (ExecutionMeter meter : meters) {
      since = Math.min(since, meter.executingSince());
    }
    return since;
  }

  /**
   * When the execution of the oldest detached request began; {@link ExecutionMeter#IDLE} if none.
   */
  long detachedSince() {
    return detached.oldestStart();
  }

  /** The number of requests that are detached now. */
  int detached() {
    return detached.size();
  }

  /** See {@link InstanceInbox#isIdle}. */
  boolean isIdle() {
    return inbox.isIdle();
  }

  /** See {@link InstancePermit#priority}. */
  long priority() {
    return permit.priority();
  }

  /** Has the thread report ready once the instance is allocated. Does not wait. */
  void wake() {
    permit.stage();
  }

  /**
   * Wakes the instance as {@link #wake} does, but lends it to the calling thread, which must call
   * {@link #runLent} then. Returns false, and does nothing, if the instance is not to be lent now.
   *
   * @param isShared whether others wait for the calling thread
   */
  boolean wakeLent(boolean isShared) {
    SerialExecutions executed = lendable;
    boolean isLent =
        executed != null && (bounded || !isShared) && executed.isShort() && inbox.lend();
    if (isLent) {
      wake();
    }
    return isLent;
  }

  /** Executes, in place of the instance's thread, what is dispatched to the instance. */
  void runLent() {
    SerialExecutions executed = Objects.requireNonNull(lendable);
    try {
      if (inbox.takeWoken()) {
        guard.runUntilDone(reportReady);
      }
      for (int i = 0; i < MAX_LENT_BATCHES && isNextShort(executed); i++) {
        if (inbox.takeDispatched()) {
          executed.run();
        }
      }
    } finally {
      inbox.giveBack();
      if (executed.owesReport()) {
        inbox.unparkAny();
      }
    }
  }

  /** Whether a batch is dispatched that is no larger than one that was short. */
  private boolean isNextShort(SerialExecutions executed) {
    return inbox.isDispatched() && executed.isShort(inbox.execution());
  }

  /** Lets the thread be idle, which has reported ready. */
  void idle() {
    permit.releaseUnused();
    if (inbox.isStopped()) {
      inbox.unpark(); // it does not end while it is allocated
    }
  }

  /** The batch to fill before {@link #dispatch}, while the instance is ready. */
  Execution execution() {
    return inbox.execution();
  }

  /** Has the thread execute the filled {@link #execution}. Does not wait. */
  void dispatch() {
    inbox.dispatch();
  }

  /** See {@link InstanceGroup#drain}. */
  void drain() {
    draining = true;
  }

  boolean isDraining() {
    return draining;
  }

  /** Whether {@link #stop} was called. */
  boolean isStopped() {
    return inbox.isStopped();
  }

  /** Whether the instance is closed and its thread has ended. */
  boolean hasEnded() {
    return isStopped() && !thread.isAlive();
  }

  /**
   * Has the thread close the instance once it is idle; interrupts it if it is opening the instance.
   * From any thread.
   */
  void stop() {
    inbox.stop();
    if (opening) {
      thread.interrupt();
    }
  }

  /** Waits until the thread has ended, after {@link #stop}; false if that takes longer. */
  boolean join(Duration atMost) throws InterruptedException {
    return thread.join(atMost);
  }

  private void run() {
    try (permit) {
      awaitAllocation();
      ModelInstance instance;
      try {
        group.hostPolicies().apply(settings.hostPolicy());
        instance = group.model().open(settings);
      } catch (Throwable failed) { // also an Error: awaitOpen() waits for the outcome
        opened.completeExceptionally(failed);
        return;
      } finally {
        opening = false;
      }
      permit.release(false);
      serve(instance);
    } catch (Throwable bug) { // also an Error: others wait for this thread
      guard.failed(bug);
      opened.completeExceptionally(bug);
      health.ended(bug);
    }
  }

  private void serve(ModelInstance instance) {
    var meter = new ExecutionMeter(group.clock(), statistics);
    try (instance) {
      if (isWarm(instance, meter)) {
        if (instance instanceof PipelinedInstance pipelined && canPipeline(pipelined)) {
          executePipelined(pipelined);
        } else {
          executeBatches(instance, meter);
        }
      }
      awaitAllocation();
    }
  }

  /** Executes the warm-up; returns whether it succeeded. */
  private boolean isWarm(ModelInstance instance, ExecutionMeter meter) {
    try {
      var warmup =
          new InstanceWarmup(
              group,
              settings,
              meter,
              this::awaitAllocation,
              () -> permit.release(false),
              detached,
              this::awaitDetached);
      for (WarmupSample sample : samples) {
        warmup.execute(instance, sample, inbox::isStopped);
      }
      return true;
    } catch (Throwable failed) { // also an Error: awaitOpen() waits for the outcome
      opened.completeExceptionally(failed);
      return false;
    } finally {
      samples = List.of();
      Thread.interrupted(); // by stop(); what closes the instance may wait
    }
  }

  private void executeBatches(ModelInstance instance, ExecutionMeter meter) {
    try (var executions = executions(inbox.execution(), meter)) {
      var serial =
          new SerialExecutions(instance, number, executions, meter, listener, guard, detached);
      bounded = instance.hasBoundedTime();
      lendable = canLend(instance) ? serial : null;
      meters = List.of(meter);
      opened.complete(instance);
      while (awaitExecution(serial)) {
        serial.run();
      }
    }
  }

  private InstanceExecutions executions(Execution filled, ExecutionMeter meter) {
    return new InstanceExecutions(
        group,
        group.config(),
        settings,
        filled,
        meter,
        this::returned,
        request -> listener.get().rescheduled(request),
        health,
        detached);
  }

  /**
   * Whether a thread with a request may execute it. Batches grow while an instance's thread wakes,
   * so those of a batching scheduler are left to it.
   */
  private boolean canLend(ModelInstance instance) {
    return instance.runsOnAnyThread()
        && group.config().scheduling() instanceof SchedulingSettings.Direct
        && group.limiter().equals(RateLimiter.OFF)
        && !group.hostPolicies().has(settings.hostPolicy())
        && !group.config().decoupled();
  }

  /** Whether batches do not depend on those in flight: on their states, responses or resources. */
  private boolean canPipeline(PipelinedInstance instance) {
    return instance.depth() > 1
        && group.limiter().equals(RateLimiter.OFF)
        && group.config().sequence().isEmpty()
        && !group.config().decoupled();
  }

  private void executePipelined(PipelinedInstance instance) {
    List<ExecutionMeter> eachMeter =
        Stream.generate(() -> new ExecutionMeter(group.clock(), statistics))
            .limit(instance.depth())
            .toList();
    List<InstanceExecutions> each =
        eachMeter.stream().map(meter -> executions(new Execution(), meter)).toList();
    meters = eachMeter;
    try (var pipeline = new Pipeline(instance, each)) {
      inbox.fillNext(pipeline.next());
      opened.complete(instance);
      new PipelinedLoop(number, inbox, pipeline, listener, guard, detached).run();
    }
  }

  /** Releases the permit once the backend has returned, before requests are responded to. */
  private void returned() {
    permit.release(!detached.isFull() && listener.get().hasWaiting());
  }

  /** Waits until the instance is allocated: it opens and closes under the limit, too. */
  private void awaitAllocation() {
    permit.stage();
    while (!inbox.takeWoken()) {
      inbox.park();
    }
  }

  /** Waits until no request is detached. */
  private void awaitDetached() {
    while (detached.size() > 0) {
      inbox.park();
    }
  }

  /** Waits for a batch; returns false if the instance is to close instead. */
  private boolean awaitExecution(SerialExecutions serial) {
    while (!inbox.takeDispatched()) {
      if (serial.owesReport() && !detached.isFull() && !inbox.isLent()) {
        serial.report();
        continue;
      }
      if (inbox.takeWoken()) {
        guard.runUntilDone(reportReady);
        continue;
      }
      if (inbox.isStopped() && !permit.isAllocated() && !inbox.isLent() && detached.size() == 0) {
        return false;
      }
      inbox.park();
    }
    return true;
  }
}
