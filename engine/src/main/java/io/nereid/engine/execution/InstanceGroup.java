package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.call.CallingModel;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.InstancePermit;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.sequence.SequenceState;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.execution.warmup.WarmupSamples;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.error.InferenceException;
import io.nereid.spi.Model;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open instances of one model version. A scheduler wakes idle instances, dispatches a batch to
 * each instance that reports ready, and is notified when the batch is executed. The methods for one
 * instance take its number and do not wait.
 */
public final class InstanceGroup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(InstanceGroup.class.getName());

  /** How long an instance may take to close until the log says so, and twice as long again. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /**
   * What all instances of a group share.
   *
   * @param pool memory for outputs and states
   * @param inputPool memory for gathered batches and the inputs of the warm-up
   * @param clock nanoseconds, never negative; the clock of the requests' arrival times
   * @param statistics those of the model version
   * @param initialStates the states of a new sequence, by input name
   * @param limiter limits all but passive instances
   * @param hostPolicies applied to the threads of instances
   * @param warmup what each instance executes before it serves, except passive ones
   * @param calls of other models
   * @param maxDetached from so many detached requests on, an instance begins no batch; at least 1
   */
  public record Settings(
      ModelConfig config,
      Model model,
      BufferPool pool,
      BufferPool inputPool,
      LongSupplier clock,
      ModelStatistics statistics,
      Map<String, Tensor> initialStates,
      RateLimiter limiter,
      HostPolicies hostPolicies,
      Warmup warmup,
      CallingModel calls,
      int maxDetached) {
    public Settings {
      initialStates = Map.copyOf(initialStates);
    }

    /**
     * Settings of a model without input memory of its own, states, limits, host policies, warm-up
     * and calls.
     */
    public static Settings of(
        ModelConfig config,
        Model model,
        BufferPool pool,
        LongSupplier clock,
        ModelStatistics statistics) {
      return new Settings(
          config,
          model,
          pool,
          pool,
          clock,
          statistics,
          Map.of(),
          RateLimiter.OFF,
          HostPolicies.NONE,
          Warmup.none(config),
          CallingModel.none(config.name(), clock),
          MAX_DETACHED);
    }
  }

  /** Detached requests with which an instance begins no batch, unless configured otherwise. */
  public static final int MAX_DETACHED = 1000;

  /**
   * How many instances of a model are opened at the same time, so that many of them leave
   * processors to the requests of others.
   */
  static final int OPENING_AT_ONCE = Math.max(4, Runtime.getRuntime().availableProcessors() / 2);

  private final Settings settings;
  private final List<InstanceRunner> runners = new CopyOnWriteArrayList<>();
  private volatile @Nullable ExecutionListener listener;

  /** Why an instance cannot execute batches any more; the first one's reason. */
  private final AtomicReference<@Nullable InferenceException> failure = new AtomicReference<>();

  private final ExecutionWatch watch;

  private InstanceGroup(Settings settings) {
    this.settings = settings;
    this.watch = new ExecutionWatch(settings.config(), settings.clock());
  }

  /**
   * Opens an instance for each of {@code instances}, a few at the same time, and waits until each
   * has executed the warm-up.
   *
   * @throws InferenceException if an instance cannot be opened, needs more than the limiter ever
   *     has, or fails the warm-up; then the others are closed
   */
  public static InstanceGroup open(Settings settings, List<InstanceSettings> instances) {
    var group = new InstanceGroup(settings);
    try (WarmupSamples samples = group.samples(instances)) {
      try {
        for (int i = 0; i < instances.size(); i++) {
          if (i >= OPENING_AT_ONCE) {
            group.runners.get(i - OPENING_AT_ONCE).awaitOpen();
          }
          group.start(instances.get(i), samples);
        }
        group.runners.forEach(InstanceRunner::awaitOpen);
        return group;
      } catch (RuntimeException | Error failed) {
        group.close(); // before the samples, which its threads may still read
        throw failed;
      }
    }
  }

  /** The warm-up of these instances; without samples if all of them are passive. */
  private WarmupSamples samples(List<InstanceSettings> instances) {
    boolean passive = instances.stream().allMatch(InstanceSettings::passive);
    Warmup warmup = passive ? Warmup.none(settings.config()) : settings.warmup();
    return warmup.prepare(settings.inputPool());
  }

  /**
   * Opens one more instance while the others run, and waits until it has executed the warm-up.
   *
   * @return the number of the instance, which is idle
   * @throws InferenceException if it cannot be opened or fails the warm-up; the others run on
   */
  public synchronized int add(InstanceSettings instanceSettings) {
    try (WarmupSamples samples = samples(List.of(instanceSettings))) {
      int instance = start(instanceSettings, samples);
      try {
        runners.get(instance).awaitOpen();
        return instance;
      } catch (RuntimeException | Error failed) {
        retire(instance);
        throw failed;
      }
    }
  }

  /** Starts an instance; returns its number, which a closed one may have had before. */
  private int start(InstanceSettings instanceSettings, WarmupSamples samples) {
    int number = 0;
    while (number < size() && !runners.get(number).hasEnded()) {
      number++;
    }
    settings.statistics().runsOn(gpu(instanceSettings));
    InstanceRunner ended = number < size() ? runners.get(number) : null;
    var runner =
        new InstanceRunner(
            settings,
            instanceSettings,
            number,
            samples.samples(),
            this::listener,
            ended == null ? settings.statistics()::addInstance : ended::statistics,
            this::fail);
    if (ended != null) {
      runners.set(number, runner);
    } else {
      runners.add(runner);
    }
    runner.start();
    return number;
  }

  private static OptionalInt gpu(InstanceSettings instance) {
    return instance.kind() == InstanceSettings.Kind.KIND_GPU
        ? OptionalInt.of(instance.deviceId())
        : OptionalInt.empty();
  }

  /** Closes an instance to which no batch will be dispatched any more. */
  public void retire(int instance) {
    runners.get(instance).stop();
  }

  private ExecutionListener listener() {
    return Objects.requireNonNull(listener, "listen() was not called");
  }

  /** Sets the scheduler; before the first {@link #wake} or {@link #dispatch}. */
  public void listen(ExecutionListener newListener) {
    listener = newListener;
  }

  /** The model version's statistics, to which schedulers add the requests that they reject. */
  public ModelStatistics statistics() {
    return settings.statistics();
  }

  /** One more than the highest number of an instance. */
  public int size() {
    return runners.size();
  }

  /** Whether an instance executes batches: it is open and not passive. */
  public boolean isActive(int instance) {
    return isOpen(instance) && !settings(instance).passive();
  }

  /** Whether an instance is neither draining nor retired. */
  public boolean isOpen(int instance) {
    InstanceRunner runner = runners.get(instance);
    return !runner.isStopped() && !runner.isDraining();
  }

  /** Marks an instance that executes its last batches and is to be {@link #retire}d then. */
  public void drain(int instance) {
    runners.get(instance).drain();
  }

  public InstanceSettings settings(int instance) {
    return runners.get(instance).settings();
  }

  /** Returns the states of a new sequence, which the caller closes; null if the model has none. */
  public @Nullable SequenceState newState() {
    List<State> states =
        settings.config().sequence().map(SequenceSettings::states).orElse(List.of());
    return states.isEmpty()
        ? null
        : new SequenceState(states, settings.initialStates(), settings.pool());
  }

  /** Whether there is a rate limiter: then an instance that has executed is not ready again. */
  public boolean isLimited() {
    return !settings.limiter().equals(RateLimiter.OFF);
  }

  /** Whether an instance holds resources while it runs, for which others may wait. */
  public boolean holdsResources() {
    return isLimited()
        && runners.stream()
            .anyMatch(runner -> !runner.settings().rateLimiter().resources().isEmpty());
  }

  /** See {@link InstancePermit#priority}. */
  public long priority(int instance) {
    return runners.get(instance).priority();
  }

  /** Wakes an idle instance, which reports {@link ExecutionListener#ready} once it is allocated. */
  public void wake(int instance) {
    runners.get(instance).wake();
  }

  /**
   * Wakes an idle instance and lends it to the calling thread, which must call {@link #runLent}
   * afterwards. Returns false, and does nothing, if the instance's own thread has to execute.
   *
   * @param isShared whether others wait for the calling thread
   */
  public boolean wakeLent(int instance, boolean isShared) {
    return runners.get(instance).wakeLent(isShared);
  }

  /** Executes what is dispatched to an instance that is lent to the calling thread. */
  public void runLent(int instance) {
    runners.get(instance).runLent();
  }

  /** Lets an instance be idle that has reported ready; no batch is dispatched to it. */
  public void idle(int instance) {
    runners.get(instance).idle();
  }

  /** The empty batch of an instance that is ready, for the scheduler to fill. */
  public Execution execution(int instance) {
    return runners.get(instance).execution();
  }

  /** Dispatches the filled {@link #execution} to its instance. */
  public void dispatch(int instance) {
    runners.get(instance).dispatch();
  }

  /** The number of instances that are not idle, as a snapshot. From any thread. */
  public int busy() {
    int busy = 0;
    for (InstanceRunner runner : runners) {
      if (!runner.isIdle() && !runner.hasEnded()) {
        busy++;
      }
    }
    return busy;
  }

  /** The names of the instances that are not idle, as a snapshot. From any thread. */
  public List<String> executing() {
    return runners.stream()
        .filter(runner -> !runner.isIdle() && !runner.hasEnded())
        .map(runner -> runner.settings().name())
        .toList();
  }

  /** The number of requests that are detached, as a snapshot. From any thread. */
  public int detached() {
    int detached = 0;
    for (InstanceRunner runner : runners) {
      detached += runner.detached();
    }
    return detached;
  }

  private void fail(InferenceException reason) {
    if (failure.compareAndSet(null, reason)) {
      FlightEvents.modelState(
          settings.statistics().model(), "READY", "UNAVAILABLE", reason.reason());
    }
  }

  /**
   * Why the group is to get no further requests: a batch has failed on an instance that is not
   * healthy since. Null while there is no such instance.
   */
  public @Nullable InferenceException failure() {
    return failure.get();
  }

  /** Whether every instance, passive ones included, reports that it is healthy. */
  public boolean isHealthy() {
    for (InstanceRunner runner : runners) {
      if (!runner.isStopped() && !runner.isHealthy()) {
        return false;
      }
    }
    return true;
  }

  /** Whether an instance has an answer of its own to the question whether it is healthy. */
  public boolean asksForHealth() {
    return runners.stream().anyMatch(InstanceRunner::asksForHealth);
  }

  /** The clock of executions: nanoseconds. */
  public LongSupplier clock() {
    return settings.clock();
  }

  /** See {@link ExecutionWatch#look}. */
  public void watch(long limitNanos) {
    watch.look(runners, limitNanos);
  }

  /** See {@link ExecutionWatch#overdue}. */
  public String overdue() {
    return watch.overdue();
  }

  /** Closes each instance after the batch that it executes, and waits for all of them. */
  @Override
  public void close() {
    runners.forEach(InstanceRunner::stop);
    boolean interrupted = false;
    for (InstanceRunner runner : runners) {
      Duration patience = PATIENCE;
      while (true) {
        try {
          if (runner.join(patience)) {
            break;
          }
          patience = patience.multipliedBy(2);
          logWait(runner);
        } catch (InterruptedException again) {
          interrupted = true; // native memory must not be freed while an instance runs
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void logWait(InstanceRunner runner) {
    if (runner.detached() > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is not closed yet: backend ''{1}'' has not ended {2} detached requests of instance"
              + " ''{3}''",
          settings.statistics().model(),
          settings.config().backend(),
          Integer.toString(runner.detached()),
          runner.settings().name());
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is not closed yet: backend ''{1}'' has not returned on the thread of instance ''{2}''",
        settings.statistics().model(),
        settings.config().backend(),
        runner.settings().name());
  }
}
