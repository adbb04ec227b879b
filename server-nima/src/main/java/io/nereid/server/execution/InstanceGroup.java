package io.nereid.server.execution;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.error.InferenceException;
import io.nereid.server.execution.ratelimit.InstancePermit;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.execution.sequence.SequenceState;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.telemetry.statistics.ModelStatistics;
import io.nereid.spi.Model;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open instances of one model version. A scheduler calls those that rest, hands each that is
 * ready a batch, and is told when it is executed.
 */
public final class InstanceGroup implements AutoCloseable {
  private final ModelConfig config;
  private final Model model;
  private final BufferPool pool;
  private final LongSupplier clock;
  private final Map<String, Tensor> initialStates;
  private final List<InstanceRunner> runners = new CopyOnWriteArrayList<>();
  private final ModelStatistics statistics;
  private final RateLimiter limiter;
  private volatile @Nullable ExecutionListener listener;

  /**
   * Opens an instance for each of {@code instances}, all at once, and waits for them.
   *
   * @param pool for outputs, states, and batches put together
   * @param clock by which requests arrive, in nanoseconds
   * @param statistics of the model version
   * @param initialStates what each state of a new sequence is, by the name of its input
   * @param limiter whose turns instances take, all but passive ones
   * @throws InferenceException if one cannot be opened, or the limiter refuses it; the others are
   *     closed again
   */
  public static InstanceGroup open(
      ModelConfig config,
      Model model,
      List<InstanceSettings> instances,
      BufferPool pool,
      LongSupplier clock,
      ModelStatistics statistics,
      Map<String, Tensor> initialStates,
      RateLimiter limiter) {
    var group = new InstanceGroup(config, model, pool, clock, statistics, initialStates, limiter);
    try {
      instances.forEach(group::start);
      group.runners.forEach(InstanceRunner::awaitOpen);
      return group;
    } catch (RuntimeException refused) {
      group.close();
      throw refused;
    }
  }

  private InstanceGroup(
      ModelConfig config,
      Model model,
      BufferPool pool,
      LongSupplier clock,
      ModelStatistics statistics,
      Map<String, Tensor> initialStates,
      RateLimiter limiter) {
    this.config = config;
    this.model = model;
    this.pool = pool;
    this.clock = clock;
    this.statistics = statistics;
    this.initialStates = Map.copyOf(initialStates);
    this.limiter = limiter;
  }

  /**
   * Opens one more instance while the others run, and waits for it.
   *
   * @return the instance, which rests
   * @throws InferenceException if it cannot be opened; the others are not concerned
   */
  public synchronized int add(InstanceSettings settings) {
    int instance = start(settings);
    try {
      runners.get(instance).awaitOpen();
      return instance;
    } catch (RuntimeException refused) {
      retire(instance);
      throw refused;
    }
  }

  /** Starts an instance; returns its number, which may have been one's that is gone. */
  private int start(InstanceSettings settings) {
    int instance = 0;
    while (instance < size() && !runners.get(instance).hasEnded()) {
      instance++;
    }
    int number = instance;
    var runner =
        new InstanceRunner(
            config,
            model,
            settings,
            pool,
            clock,
            statistics.addInstance(),
            limiter,
            () -> listener().hasWaiting(),
            () -> listener().ready(number),
            request -> listener().rescheduled(request),
            endNanos -> listener().executed(number, endNanos));
    if (number < size()) {
      runners.set(number, runner);
    } else {
      runners.add(runner);
    }
    runner.start();
    return number;
  }

  /** Has an instance close that will not be handed a batch again. Does not wait. */
  public void retire(int instance) {
    runners.get(instance).stop();
  }

  private ExecutionListener listener() {
    return Objects.requireNonNull(listener, "a batch came from nowhere");
  }

  /** Sets who hands out batches; before the first {@link #run}. */
  public void listen(ExecutionListener newListener) {
    listener = newListener;
  }

  /** What the model version has done; who refuses a request before it is run adds to it. */
  public ModelStatistics statistics() {
    return statistics;
  }

  /** One more than the highest number of an instance. */
  public int size() {
    return runners.size();
  }

  /** Whether an instance takes batches; passive ones are only kept. */
  public boolean isActive(int instance) {
    return isOpen(instance) && !settings(instance).passive();
  }

  /** Whether an instance is there to stay: neither {@link #dismiss}ed nor {@link #retire}d. */
  public boolean isOpen(int instance) {
    InstanceRunner runner = runners.get(instance);
    return !runner.isStopped() && !runner.isDismissed();
  }

  /** Takes an instance out of service, which may still have something to run. */
  public void dismiss(int instance) {
    runners.get(instance).dismiss();
  }

  public InstanceSettings settings(int instance) {
    return runners.get(instance).settings();
  }

  /**
   * What a new sequence carries from request to request; null if the model has no states. The
   * caller's to close.
   */
  public @Nullable SequenceState newState() {
    List<State> states = config.sequence().map(SequenceSettings::states).orElse(List.of());
    return states.isEmpty() ? null : new SequenceState(states, initialStates, pool);
  }

  /** Whether instances take turns with others: then one that has executed is not ready again. */
  public boolean isLimited() {
    return !limiter.equals(RateLimiter.OFF);
  }

  /** Whether its instances hold, while they run, what others may wait for. */
  public boolean holdsResources() {
    return isLimited()
        && runners.stream()
            .anyMatch(runner -> !runner.settings().rateLimiter().resources().isEmpty());
  }

  /** See {@link InstancePermit#priority}. */
  public long priority(int instance) {
    return runners.get(instance).priority();
  }

  /** Has an instance that rests say that it is ready, once it is its turn. Never waits. */
  public void wake(int instance) {
    runners.get(instance).wake();
  }

  /** There is nothing for an instance that has said that it is ready. */
  public void idle(int instance) {
    runners.get(instance).idle();
  }

  /** The batch to fill for an instance that is ready, empty so far. */
  public Execution execution(int instance) {
    return runners.get(instance).execution();
  }

  /** Has a ready instance execute what {@link #execution} was filled with. Never waits. */
  public void run(int instance) {
    runners.get(instance).handOver();
  }

  /** How many instances do not rest. From any thread; true for a moment only. */
  public int busy() {
    int busy = 0;
    for (InstanceRunner runner : runners) {
      if (!runner.isResting() && !runner.hasEnded()) {
        busy++;
      }
    }
    return busy;
  }

  /** Whether every instance, passive ones too, says that it can work. */
  public boolean isHealthy() {
    for (InstanceRunner runner : runners) {
      if (!runner.isStopped() && !runner.isHealthy()) {
        return false;
      }
    }
    return true;
  }

  /** Closes the instances, each after what it is running; for when nothing is queued any more. */
  @Override
  public void close() {
    runners.forEach(InstanceRunner::stop);
    boolean interrupted = false;
    for (InstanceRunner runner : runners) {
      while (true) {
        try {
          runner.join();
          break;
        } catch (InterruptedException again) {
          interrupted = true; // the native side must not be freed under a running instance
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
