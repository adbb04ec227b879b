package io.nereid.engine.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.execution.warmup.WarmupSamples;
import io.nereid.engine.telemetry.jfr.FlightEvents;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.error.InferenceException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The open instances of one model version. A scheduler wakes idle instances, dispatches a batch to
 * each {@link Instance} that reports ready, and is notified when the batch is executed.
 */
public final class InstanceGroup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(InstanceGroup.class.getName());

  /** How long an instance may take to close until the log says so, and twice as long again. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /**
   * What all instances of a group share.
   *
   * @param warmup what each instance executes before it serves, except passive ones
   */
  public record Settings(ExecutedModel model, InstanceLimits limits, Warmup warmup) {}

  /**
   * How many instances of a model are opened at the same time, so that many of them leave
   * processors to the requests of others.
   */
  static final int OPENING_AT_ONCE = Math.max(4, Runtime.getRuntime().availableProcessors() / 2);

  private final Settings settings;
  private final List<Instance> instances = new CopyOnWriteArrayList<>();
  private volatile @Nullable ExecutionListener listener;

  /** Why an instance cannot execute batches any more; the first one's reason. */
  private final AtomicReference<@Nullable InferenceException> failure = new AtomicReference<>();

  private final ExecutionWatch watch;

  private InstanceGroup(Settings settings) {
    this.settings = settings;
    this.watch = new ExecutionWatch(model());
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
            group.instances.get(i - OPENING_AT_ONCE).awaitOpen();
          }
          group.start(instances.get(i), samples);
        }
        group.instances.forEach(Instance::awaitOpen);
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
    Warmup warmup = passive ? Warmup.none(model().config()) : settings.warmup();
    return warmup.prepare(model().inputPool());
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
        instance(instance).awaitOpen();
        return instance;
      } catch (RuntimeException | Error failed) {
        instance(instance).retire();
        throw failed;
      }
    }
  }

  /** Starts an instance; returns its number, which a closed one may have had before. */
  private int start(InstanceSettings instanceSettings, WarmupSamples samples) {
    int number = 0;
    while (number < size() && !instance(number).hasEnded()) {
      number++;
    }
    statistics().runsOn(gpu(instanceSettings));
    Instance ended = number < size() ? instance(number) : null;
    var instance =
        new Instance(
            this,
            instanceSettings,
            number,
            samples.samples(),
            ended == null ? statistics()::addInstance : ended::statistics);
    if (ended != null) {
      instances.set(number, instance);
    } else {
      instances.add(instance);
    }
    instance.start();
    return number;
  }

  private static OptionalInt gpu(InstanceSettings instance) {
    return instance.kind() == InstanceSettings.Kind.KIND_GPU
        ? OptionalInt.of(instance.deviceId())
        : OptionalInt.empty();
  }

  Settings settings() {
    return settings;
  }

  ExecutionListener listener() {
    return Objects.requireNonNull(listener, "listen() was not called");
  }

  /** Sets the scheduler; before an instance is woken, or gets a batch. */
  public void listen(ExecutionListener newListener) {
    listener = newListener;
  }

  /** The model version's statistics, to which schedulers add the requests that they reject. */
  public ModelStatistics statistics() {
    return model().statistics();
  }

  /** One more than the highest number of an instance. */
  public int size() {
    return instances.size();
  }

  public Instance instance(int number) {
    return instances.get(number);
  }

  /** What the instances execute. */
  public ExecutedModel model() {
    return settings.model();
  }

  /** Whether there is a rate limiter: then an instance that has executed is not ready again. */
  public boolean isLimited() {
    return settings.limits().hasRates();
  }

  /** Whether an instance holds resources while it runs, for which others may wait. */
  public boolean holdsResources() {
    return instances.stream().anyMatch(Instance::holdsResources);
  }

  /** The names of the instances that are not idle, as a snapshot. From any thread. */
  public List<String> executing() {
    return instances.stream()
        .filter(Instance::isBusy)
        .map(instance -> instance.settings().name())
        .toList();
  }

  /** The number of requests that are detached, as a snapshot. From any thread. */
  public int detached() {
    return instances.stream().mapToInt(instance -> instance.detached.size()).sum();
  }

  void fail(InferenceException reason) {
    if (failure.compareAndSet(null, reason)) {
      FlightEvents.modelState(model().key(), "READY", "UNAVAILABLE", reason.reason());
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
    return instances.stream().allMatch(instance -> instance.isStopped() || instance.isHealthy());
  }

  /** Whether an instance has an answer of its own to the question whether it is healthy. */
  public boolean asksForHealth() {
    return instances.stream().anyMatch(Instance::asksForHealth);
  }

  /** See {@link ExecutionWatch#look}. */
  public void watch(long limitNanos) {
    watch.look(instances, limitNanos);
  }

  /** See {@link ExecutionWatch#overdue}. */
  public String overdue() {
    return watch.overdue();
  }

  /** Closes each instance after the batch that it executes, and waits for all of them. */
  @Override
  public void close() {
    instances.forEach(Instance::retire);
    boolean interrupted = false;
    for (Instance instance : instances) {
      Duration patience = PATIENCE;
      while (true) {
        try {
          if (instance.join(patience)) {
            break;
          }
          patience = patience.multipliedBy(2);
          logWait(instance);
        } catch (InterruptedException again) {
          interrupted = true; // native memory must not be freed while an instance runs
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void logWait(Instance instance) {
    if (instance.detached.size() > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is not closed yet: backend ''{1}'' has not ended {2} detached requests of instance"
              + " ''{3}''",
          model().key(),
          model().config().backend(),
          Integer.toString(instance.detached.size()),
          instance.settings().name());
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is not closed yet: backend ''{1}'' has not returned on the thread of instance ''{2}''",
        model().key(),
        model().config().backend(),
        instance.settings().name());
  }
}
