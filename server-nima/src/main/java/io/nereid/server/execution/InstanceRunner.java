package io.nereid.server.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.server.execution.ratelimit.InstancePermit;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.execution.warmup.WarmupSample;
import io.nereid.server.telemetry.statistics.InstanceStatistics;
import io.nereid.spi.ModelInstance;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The thread of one instance: opens it, warms it up, executes the batches dispatched to it, closes
 * it. No other thread calls the instance, except for {@link ModelInstance#isHealthy}.
 */
final class InstanceRunner {
  private final InstanceGroup.Settings group;
  private final InstanceSettings settings;
  private final int number;
  private final Supplier<ExecutionListener> listener;
  private final InstanceStatistics statistics;
  private final InstancePermit permit;
  private final CompletableFuture<ModelInstance> opened = new CompletableFuture<>();
  private final Thread thread;
  private final Execution execution = new Execution();

  /** What the thread executes before the instance is open; dropped then. */
  private List<WarmupSample> samples;

  /** Whether the instance was allocated and has not reported ready since. */
  private volatile boolean woken;

  /** Whether {@link #execution} is to be executed, or is being executed. */
  private volatile boolean dispatched;

  private volatile boolean draining;
  private volatile boolean stopped;

  /**
   * @param number the instance's number in its group
   * @param samples the warm-up, valid until {@link #awaitOpen} returns; passive instances have none
   * @param listener the group's scheduler; called by this thread
   * @param statistics those of the instance that had the number before, or new ones
   * @throws InferenceException if the instance needs more resources than there can ever be
   */
  InstanceRunner(
      InstanceGroup.Settings group,
      InstanceSettings settings,
      int number,
      List<WarmupSample> samples,
      Supplier<ExecutionListener> listener,
      Supplier<InstanceStatistics> statistics) {
    this.group = group;
    this.settings = settings;
    this.number = number;
    this.samples = settings.passive() ? List.of() : samples;
    this.listener = listener;
    this.thread = Thread.ofPlatform().name("instance " + settings.name()).unstarted(this::run);
    thread.setContextClassLoader(group.model().getClass().getClassLoader());
    RateLimiter limiter = settings.passive() ? RateLimiter.OFF : group.limiter();
    this.permit = limiter.register(settings, this::allocated);
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
   * @throws InferenceException if it could not be opened or has failed the warm-up
   */
  void awaitOpen() {
    try {
      opened.join();
    } catch (CompletionException failed) {
      throw InstanceExecutions.asInferenceException(settings.name(), failed.getCause());
    }
  }

  boolean isHealthy() {
    ModelInstance instance = opened.isCompletedExceptionally() ? null : opened.getNow(null);
    return instance != null && instance.isHealthy();
  }

  /** Whether the thread is parked and has nothing to do, as a snapshot. From any thread. */
  boolean isIdle() {
    boolean parked = LockSupport.getBlocker(thread) == this;
    return parked && !dispatched && !woken; // an unparked thread appears parked for a while
  }

  /** See {@link InstancePermit#priority}. */
  long priority() {
    return permit.priority();
  }

  /** Has the thread report ready once the instance is allocated. Does not wait. */
  void wake() {
    permit.stage();
  }

  private void allocated() {
    woken = true;
    unpark();
  }

  /** Lets the thread be idle, which has reported ready. */
  void idle() {
    permit.releaseUnused();
    if (stopped) {
      unpark(); // it does not end while it is allocated
    }
  }

  /** The batch to fill before {@link #dispatch}, while the instance is ready. */
  Execution execution() {
    return execution;
  }

  /** Has the thread execute the filled {@link #execution}. Does not wait. */
  void dispatch() {
    dispatched = true;
    unpark();
  }

  private void unpark() {
    if (!Thread.currentThread().equals(thread)) {
      LockSupport.unpark(thread);
    }
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
    return stopped;
  }

  /** Whether the instance is closed and its thread has ended. */
  boolean hasEnded() {
    return stopped && !thread.isAlive();
  }

  /** Has the thread close the instance once it is idle. From any thread. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  /** Waits until the thread has ended; after {@link #stop}. */
  void join() throws InterruptedException {
    thread.join();
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
      }
      permit.release(false);
      serve(instance);
    }
  }

  private void serve(ModelInstance instance) {
    var meter = new ExecutionMeter(group.clock(), statistics);
    try (instance) {
      if (isWarm(instance, meter)) {
        executeBatches(instance, meter);
      }
      awaitAllocation();
    }
  }

  /** Executes the warm-up; returns whether it succeeded. */
  private boolean isWarm(ModelInstance instance, ExecutionMeter meter) {
    try {
      var warmup =
          new InstanceWarmup(
              group, settings, meter, this::awaitAllocation, () -> permit.release(false));
      for (WarmupSample sample : samples) {
        warmup.execute(instance, sample, () -> stopped);
      }
      return true;
    } catch (Throwable failed) { // also an Error: awaitOpen() waits for the outcome
      opened.completeExceptionally(failed);
      return false;
    } finally {
      samples = List.of();
    }
  }

  private void executeBatches(ModelInstance instance, ExecutionMeter meter) {
    try (var executions =
        new InstanceExecutions(
            group.config(),
            settings,
            execution,
            group.pool(),
            meter,
            this::returned,
            request -> listener.get().rescheduled(request))) {
      opened.complete(instance);
      while (awaitExecution()) {
        executions.run(instance);
        dispatched = false;
        listener.get().executed(number, meter.computeEnd());
      }
    }
  }

  /** Releases the permit once the backend has returned, before requests are responded to. */
  private void returned() {
    permit.release(listener.get().hasWaiting());
  }

  /** Waits until the instance is allocated: it opens and closes under the limit, too. */
  private void awaitAllocation() {
    permit.stage();
    while (!woken) {
      park();
    }
    woken = false;
  }

  /** Waits for a batch; returns false if the instance is to close instead. */
  private boolean awaitExecution() {
    while (!dispatched) {
      if (woken) {
        woken = false;
        listener.get().ready(number);
        continue;
      }
      if (stopped && !permit.isAllocated()) {
        return false;
      }
      park();
    }
    return true;
  }

  private void park() {
    LockSupport.park(this);
    Thread.interrupted(); // only a backend's library can have set it
  }
}
