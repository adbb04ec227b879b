package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.execution.batch.BatchExecutions;
import io.nereid.engine.execution.batch.DetachedRequests;
import io.nereid.engine.execution.batch.DispatchedBatch;
import io.nereid.engine.execution.batch.ExecutionMeter;
import io.nereid.engine.execution.ratelimit.InstancePermit;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.warmup.WarmupSample;
import io.nereid.engine.telemetry.statistics.InstanceStatistics;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelInstance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One instance as others see it: its state, and what they tell its thread, the {@link
 * InstanceRunner}. Public methods may be called by any thread and do not wait, except that {@link
 * #runLent} executes.
 */
public final class Instance {
  private final InstanceSettings settings;
  private final InstanceStatistics statistics;
  private final Thread thread;
  final InstanceInbox inbox;
  final InstancePermit permit;
  final DetachedRequests detached;
  private final boolean limited;
  private final CompletableFuture<ModelInstance> opened = new CompletableFuture<>();
  private volatile boolean draining;

  /** Whether a stop interrupts the thread. */
  private volatile boolean opening = true;

  /** One for each batch in flight; set before the instance is open. */
  private volatile List<ExecutionMeter> meters = List.of();

  /** What a thread executes that the instance is lent to; null if it is never lent. */
  private volatile @Nullable SerialLoop lendable;

  /**
   * @param number the instance's number in its group
   * @param samples the warm-up, valid until {@link #awaitOpen} returns; passive instances have none
   * @param statistics those of the instance that had the number before, or new ones
   * @throws InferenceException if the instance needs more resources than there can ever be
   */
  Instance(
      InstanceGroup group,
      InstanceSettings settings,
      int number,
      List<WarmupSample> samples,
      Supplier<InstanceStatistics> statistics) {
    InstanceLimits limits = group.settings().limits();
    this.settings = settings;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("instance " + settings.name())
            .unstarted(
                new InstanceRunner(this, group, number, settings.passive() ? List.of() : samples));
    this.inbox = new InstanceInbox(thread);
    this.detached =
        new DetachedRequests(
            limits.maxDetached(), () -> group.statistics().detached(), inbox::unparkAny);
    this.limited = limits.hasRates();
    RateLimiter limiter = settings.passive() ? RateLimiter.OFF : limits.rates();
    this.permit = limiter.register(settings, inbox::wake);
    this.statistics = statistics.get(); // last, so that a rejected instance adds none
  }

  public InstanceSettings settings() {
    return settings;
  }

  /** What the thread counts; may be passed on once it {@link #hasEnded}. */
  InstanceStatistics statistics() {
    return statistics;
  }

  /** Whether it executes batches: it is open and not passive. */
  public boolean isActive() {
    return isOpen() && !settings.passive();
  }

  /** Whether it is neither draining nor retired. */
  public boolean isOpen() {
    return !isStopped() && !draining;
  }

  /** Whether it holds resources while it runs, for which others may wait. */
  boolean holdsResources() {
    return limited && !settings.rateLimiter().resources().isEmpty();
  }

  /** See {@link InstancePermit#priority}. */
  public long priority() {
    return permit.priority();
  }

  /** Wakes it while it is idle: it reports {@link ExecutionListener#ready} once it is allocated. */
  public void wake() {
    permit.stage();
  }

  /**
   * Wakes it as {@link #wake} does, but lends it to the calling thread, which must call {@link
   * #runLent} then. Returns false, and does nothing, if its own thread has to execute.
   *
   * @param isShared whether others wait for the calling thread
   */
  public boolean wakeLent(boolean isShared) {
    SerialLoop executed = lendable;
    boolean isLent = executed != null && executed.lend(isShared);
    if (isLent) {
      wake();
    }
    return isLent;
  }

  /** Executes, in place of the instance's thread, what is dispatched to it while it is lent. */
  public void runLent() {
    Objects.requireNonNull(lendable).runLent();
  }

  /** Lets it be idle, which has reported ready; no batch is dispatched to it. */
  public void idle() {
    permit.releaseUnused();
    if (isStopped()) {
      inbox.unpark(); // it does not end while it is allocated
    }
  }

  /** The empty batch of an instance that is ready, for the scheduler to fill. */
  public DispatchedBatch batch() {
    return inbox.batch();
  }

  /** Dispatches the filled {@link #batch}. */
  public void dispatch() {
    inbox.dispatch();
  }

  /** Marks it as one that executes its last batches and is to be {@link #retire}d then. */
  public void drain() {
    draining = true;
  }

  /**
   * Has it closed once it is idle; no batch will be dispatched to it any more. An instance that is
   * being opened is interrupted.
   */
  public void retire() {
    inbox.stop();
    if (opening) {
      thread.interrupt();
    }
  }

  /** Whether {@link #retire} was called. */
  boolean isStopped() {
    return inbox.isStopped();
  }

  /** Whether it is closed and its thread has ended. */
  boolean hasEnded() {
    return isStopped() && !thread.isAlive();
  }

  /** Whether it is executing, or about to, as a snapshot. */
  boolean isBusy() {
    return !inbox.isIdle() && !hasEnded();
  }

  boolean isHealthy() {
    ModelInstance instance = modelInstance();
    return instance != null && instance.isHealthy();
  }

  /** Whether the instance has a method {@link ModelInstance#isHealthy} of its own. */
  boolean asksForHealth() {
    ModelInstance instance = modelInstance();
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
  private @Nullable ModelInstance modelInstance() {
    return opened.isCompletedExceptionally() ? null : opened.getNow(null);
  }

  /**
   * When the oldest batch in flight began, by the clock of the group; {@link ExecutionMeter#IDLE}
   * if there is none. A snapshot.
   */
  long executingSince() {
    long since = ExecutionMeter.IDLE;
    for (ExecutionMeter meter : meters) {
      since = Math.min(since, meter.executingSince());
    }
    return since;
  }

  /** The thread of an execution; null if it may be one that the instance is lent to. A snapshot. */
  @Nullable Thread executingThread() {
    return inbox.isLent() ? null : thread;
  }

  /** Starts the thread; if there is none, the instance has ended. */
  void start() {
    try {
      thread.start();
    } catch (Throwable noThread) { // also an Error: the others run on
      inbox.stop();
      permit.close();
      throw noThread;
    }
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
      throw BatchExecutions.asInferenceException("", settings.name(), failed.getCause());
    }
  }

  /** Waits until the thread has ended, after {@link #retire}; false if that takes longer. */
  boolean join(Duration atMost) throws InterruptedException {
    return thread.getState() == Thread.State.NEW || thread.join(atMost);
  }

  /** The backend has opened the instance, or has failed to; called by the thread. */
  void endOpening() {
    opening = false;
  }

  /** Tells the thread that waits in {@link #awaitOpen} of a failure; called by the instance's. */
  void fail(Throwable failure) {
    opened.completeExceptionally(failure);
  }

  /**
   * It serves from now on; called by the thread.
   *
   * @param ofBatches the meters of the batches that can be in flight
   * @param loop what a thread executes that the instance is lent to; null if it is never lent
   */
  void serve(ModelInstance instance, List<ExecutionMeter> ofBatches, @Nullable SerialLoop loop) {
    meters = ofBatches;
    lendable = loop;
    opened.complete(instance);
  }

  /** Waits until it is allocated: it opens and closes under the limit, too. By the thread. */
  void awaitAllocation() {
    permit.stage();
    while (!inbox.takeWoken()) {
      inbox.park();
    }
  }

  /** Waits until no request is detached. By the thread. */
  void awaitDetached() {
    while (detached.size() > 0) {
      inbox.park();
    }
  }
}
