package io.nereid.server.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.server.execution.ratelimit.InstancePermit;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.execution.sequence.SequencePlace;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.telemetry.statistics.InstanceStatistics;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The thread of one instance: opens it, executes what it is handed, closes it. Nobody else touches
 * the instance, but for asking whether it is healthy.
 */
final class InstanceRunner {
  private final ModelConfig config;
  private final Model model;
  private final InstanceSettings settings;
  private final BufferPool pool;
  private final LongSupplier clock;
  private final InstanceStatistics statistics;
  private final InstancePermit permit;
  private final BooleanSupplier moreWaits;
  private final Runnable onReady;
  private final Consumer<SequencePlace> onReschedule;
  private final LongConsumer afterExecution;
  private final CompletableFuture<ModelInstance> opened = new CompletableFuture<>();
  private final Thread thread;
  private final Execution execution = new Execution();

  /** Whether somebody has something for the instance, and it is its turn. */
  private volatile boolean called;

  /** Whether {@link #execution} waits to be executed, or is being executed. */
  private volatile boolean handedOver;

  private volatile boolean dismissed;
  private volatile boolean stopped;

  /**
   * @param clock by which requests arrive, in nanoseconds
   * @param statistics what this instance has done; written by its thread alone
   * @param limiter says when it is the instance's turn to open, to execute, and to close; not asked
   *     if it is passive
   * @param moreWaits whether there may be something to execute again, at the end of an execution
   * @param onReady run by this thread when it was called
   * @param onReschedule takes each request that is to run again, before {@code afterExecution}
   * @param afterExecution told by this thread, when it can take another batch, when the model had
   *     ended
   * @throws InferenceException if it could never be the instance's turn
   */
  InstanceRunner(
      ModelConfig config,
      Model model,
      InstanceSettings settings,
      BufferPool pool,
      LongSupplier clock,
      InstanceStatistics statistics,
      RateLimiter limiter,
      BooleanSupplier moreWaits,
      Runnable onReady,
      Consumer<SequencePlace> onReschedule,
      LongConsumer afterExecution) {
    this.config = config;
    this.model = model;
    this.settings = settings;
    this.pool = pool;
    this.clock = clock;
    this.statistics = statistics;
    this.moreWaits = moreWaits;
    this.onReady = onReady;
    this.onReschedule = onReschedule;
    this.afterExecution = afterExecution;
    this.thread = Thread.ofPlatform().name("instance " + settings.name()).unstarted(this::run);
    this.permit =
        (settings.passive() ? RateLimiter.OFF : limiter).register(settings, this::permitGranted);
  }

  InstanceSettings settings() {
    return settings;
  }

  void start() {
    thread.start();
  }

  /**
   * Waits until the instance is open.
   *
   * @throws InferenceException why it could not be opened
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

  /** Whether the thread rests, with nothing to do. From any thread; true for a moment only. */
  boolean isResting() {
    boolean parked = LockSupport.getBlocker(thread) == this;
    return parked
        && !handedOver
        && !called; // a thread that is told to wake up stays parked for a while
  }

  /** See {@link InstancePermit#priority}. */
  long priority() {
    return permit.priority();
  }

  /** Has the thread say that it is ready, once it is its turn. Never waits. */
  void wake() {
    permit.stage();
  }

  private void permitGranted() {
    called = true;
    unpark();
  }

  /** There is nothing for the thread, which has said that it is ready. */
  void idle() {
    permit.giveBack();
    if (stopped) {
      unpark(); // it has waited for this, so as not to end in its turn
    }
  }

  /** What to fill before {@link #handOver}; while the instance is ready. */
  Execution execution() {
    return execution;
  }

  /** Has the filled {@link #execution} executed. Never waits. */
  void handOver() {
    handedOver = true;
    unpark();
  }

  private void unpark() {
    if (!Thread.currentThread().equals(thread)) {
      LockSupport.unpark(thread);
    }
  }

  /** Takes it out of service: it still runs what it must, then it is to be stopped. */
  void dismiss() {
    dismissed = true;
  }

  boolean isDismissed() {
    return dismissed;
  }

  /** Whether it is to end, or has ended. */
  boolean isStopped() {
    return stopped;
  }

  /** Whether the instance is closed, and its thread gone. */
  boolean hasEnded() {
    return stopped && !thread.isAlive();
  }

  /** Has the thread close the instance once it rests. From any thread. */
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
      awaitTurn();
      ModelInstance instance;
      try {
        instance = model.open(settings);
      } catch (Throwable refused) { // the loader waits for an answer, whatever happened
        opened.completeExceptionally(refused);
        return;
      }
      permit.release(false);
      serve(instance);
    }
  }

  private void serve(ModelInstance instance) {
    var meter = new ExecutionMeter(clock, statistics);
    try (instance;
        var executions =
            new InstanceExecutions(
                config, settings, execution, pool, meter, this::returned, onReschedule)) {
      opened.complete(instance);
      while (awaitExecution()) {
        executions.run(instance);
        handedOver = false;
        afterExecution.accept(meter.computeEnd());
      }
      awaitTurn();
    }
  }

  /** The model has ended, and its requests are not answered yet. */
  private void returned() {
    permit.release(moreWaits.getAsBoolean());
  }

  private void awaitTurn() {
    permit.stage();
    while (!called) {
      park();
    }
    called = false;
  }

  /** Waits for a batch; false if there will be none. */
  private boolean awaitExecution() {
    while (!handedOver) {
      if (called) {
        called = false;
        onReady.run();
        continue;
      }
      if (stopped && !permit.isGranted()) {
        return false;
      }
      park();
    }
    return true;
  }

  private void park() {
    LockSupport.park(this);
    Thread.interrupted(); // a backend's library may leave one behind, and nobody else sends any
  }
}
