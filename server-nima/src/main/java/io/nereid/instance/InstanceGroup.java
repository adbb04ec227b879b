package io.nereid.instance;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.State;
import io.nereid.error.InferenceException;
import io.nereid.memory.BufferPool;
import io.nereid.spi.Model;
import io.nereid.statistics.ModelStatistics;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open instances of one model version. A scheduler hands them batches, each to an instance that
 * is idle, and is told when they are executed.
 */
public final class InstanceGroup implements AutoCloseable {
  private final ModelConfig config;
  private final BufferPool pool;
  private final Map<String, Tensor> initialStates;
  private final List<InstanceRunner> runners = new ArrayList<>();
  private final ModelStatistics statistics;
  private volatile @Nullable ExecutionListener listener;

  /**
   * Opens an instance for each of {@code instances}, all at once, and waits for them.
   *
   * @param pool for outputs, states, and batches put together
   * @param clock by which requests arrive, in nanoseconds
   * @param statistics of the model version
   * @param initialStates what each state of a new sequence is, by the name of its input
   * @throws InferenceException if one cannot be opened; the others are closed again
   */
  public static InstanceGroup open(
      ModelConfig config,
      Model model,
      List<InstanceSettings> instances,
      BufferPool pool,
      LongSupplier clock,
      ModelStatistics statistics,
      Map<String, Tensor> initialStates) {
    var group = new InstanceGroup(config, pool, statistics, initialStates);
    for (InstanceSettings settings : instances) {
      int index = group.runners.size();
      group.runners.add(
          new InstanceRunner(
              config,
              model,
              settings,
              pool,
              clock,
              statistics.addInstance(),
              group::rescheduled,
              () -> group.executed(index)));
    }
    try {
      group.runners.forEach(InstanceRunner::start);
      group.runners.forEach(InstanceRunner::awaitOpen);
      return group;
    } catch (RuntimeException refused) {
      group.close();
      throw refused;
    }
  }

  private InstanceGroup(
      ModelConfig config,
      BufferPool pool,
      ModelStatistics statistics,
      Map<String, Tensor> initialStates) {
    this.config = config;
    this.pool = pool;
    this.statistics = statistics;
    this.initialStates = Map.copyOf(initialStates);
  }

  private void rescheduled(SequencePlace request) {
    listener().rescheduled(request);
  }

  private void executed(int instance) {
    listener().executed(instance);
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

  public int size() {
    return runners.size();
  }

  /** Whether an instance takes batches; passive ones are only kept. */
  public boolean isActive(int instance) {
    return !runners.get(instance).settings().passive();
  }

  public String name(int instance) {
    return runners.get(instance).settings().name();
  }

  /**
   * What a new sequence carries from request to request; null if the model has no states. The
   * caller's to close.
   */
  public @Nullable SequenceState newState() {
    List<State> states = config.sequence().map(SequenceSettings::states).orElse(List.of());
    return states.isEmpty() ? null : new SequenceState(states, initialStates, pool);
  }

  /** The batch to fill for an instance that is idle, empty so far. */
  public Execution execution(int instance) {
    return runners.get(instance).execution();
  }

  /** Has an idle instance execute what {@link #execution} was filled with. Never waits. */
  public void run(int instance) {
    runners.get(instance).handOver();
  }

  /** How many of the active instances rest. From any thread; true for a moment only. */
  public int idle() {
    int idle = 0;
    for (int i = 0; i < size(); i++) {
      if (isActive(i) && runners.get(i).isIdle()) {
        idle++;
      }
    }
    return idle;
  }

  /** Whether every instance, passive ones too, says that it can work. */
  public boolean isHealthy() {
    for (InstanceRunner runner : runners) {
      if (!runner.isHealthy()) {
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
