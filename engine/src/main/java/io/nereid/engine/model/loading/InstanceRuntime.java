package io.nereid.engine.model.loading;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.call.ModelOwnCalls;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModel;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRuntime;
import io.nereid.engine.scheduling.Clock;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.thread.BoundedAnswer;
import io.nereid.error.InferenceException;
import io.nereid.spi.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model that a backend executes: its instances and their scheduler. The backend is asked for its
 * health and its memory on threads of their own, so that no probe waits for it.
 */
public final class InstanceRuntime implements ModelRuntime {
  /**
   * What is around the instances of a model.
   *
   * @param ownsInputPool whether the memory for the model's inputs is closed with the model
   * @param warning what of the configuration the backend has left out
   * @param canCall whether the models that it calls are healthy
   * @param own its calls on its own behalf, which end with it
   * @param parts the models that are parts of it, which are closed behind it
   */
  record Surroundings(
      QueueLimits queueLimits,
      DecisionJournal journal,
      boolean ownsInputPool,
      String warning,
      BooleanSupplier canCall,
      ModelOwnCalls own,
      PartModels parts) {}

  private final ExecutedModel model;
  private final InstanceGroup instances;
  private final SchedulerLoop scheduler;
  private final Surroundings surroundings;
  private final boolean takesMissing;
  private final BoundedAnswer<Boolean> health;
  private final BoundedAnswer<List<MemoryUsage>> memory;

  /**
   * Opens the instances of a model and starts their scheduler.
   *
   * @param group what the instances share; its input pool is the memory for this model's inputs
   * @throws InferenceException if an instance cannot be opened or fails the warm-up; then nothing
   *     is left open but the model and its input pool
   */
  static InstanceRuntime open(
      InstanceGroup.Settings group,
      List<InstanceSettings> instances,
      Clock clock,
      Surroundings around) {
    InstanceGroup opened = InstanceGroup.open(group, instances);
    try {
      boolean takesMissing = opened.model().model().takesMissing();
      SchedulerLoop scheduler =
          SchedulerLoop.start(opened, clock, around.queueLimits(), around.journal());
      return new InstanceRuntime(opened, scheduler, around, takesMissing);
    } catch (RuntimeException | Error failure) {
      opened.close();
      throw failure;
    }
  }

  private InstanceRuntime(
      InstanceGroup instances,
      SchedulerLoop scheduler,
      Surroundings surroundings,
      boolean takesMissing) {
    this.takesMissing = takesMissing;
    this.model = instances.model();
    this.instances = instances;
    this.scheduler = scheduler;
    this.surroundings = surroundings;
    String name = model.key().toString();
    this.health =
        new BoundedAnswer<>(
            "health of " + name,
            instances::isHealthy,
            /* first= */ true,
            /* failed= */ false,
            /* late= */ false,
            model.clock());
    this.memory =
        new BoundedAnswer<>(
            "memory usage of " + name,
            model.model()::memoryUsage,
            /* first= */ List.of(),
            /* failed= */ List.of(),
            /* late= */ null,
            model.clock());
  }

  public InstanceGroup instances() {
    return instances;
  }

  @Override
  public SchedulerLoop scheduler() {
    return scheduler;
  }

  @Override
  public BufferPool inputPool() {
    return model.inputPool();
  }

  @Override
  public boolean takesMissing() {
    return takesMissing;
  }

  @Override
  public String warning() {
    return surroundings.warning();
  }

  @Override
  public boolean isHealthy() {
    boolean isHealthy = instances.asksForHealth() ? health.get() : instances.isHealthy();
    return isHealthy && surroundings.canCall().getAsBoolean() && surroundings.parts().isHealthy();
  }

  @Override
  public @Nullable InferenceException failure() {
    InferenceException own = instances.failure();
    return own == null ? surroundings.parts().failure() : own;
  }

  @Override
  public List<LoadedModel> parts() {
    return surroundings.parts().all();
  }

  @Override
  public List<MemoryUsage> memoryUsage() {
    return memory.get();
  }

  @Override
  public void watch(long limitNanos) {
    instances.watch(limitNanos);
  }

  @Override
  public String overdue() {
    return instances.overdue();
  }

  @Override
  public boolean holdsResources() {
    return instances.holdsResources();
  }

  @Override
  public List<String> executing() {
    return instances.executing();
  }

  @Override
  public int detached() {
    return instances.detached();
  }

  /**
   * {@inheritDoc} Opens those that are missing, then removes those that are surplus. Instances are
   * compared by their settings except their names.
   */
  @Override
  public void update(List<InstanceSettings> wanted) {
    List<Integer> surplus = new ArrayList<>();
    List<InstanceSettings> missing = new ArrayList<>(wanted);
    for (int i = 0; i < instances.size(); i++) {
      if (instances.instance(i).isOpen() && !take(instances.instance(i).settings(), missing)) {
        surplus.add(i);
      }
    }
    List<Integer> opened = open(missing);
    surroundings.own().setHoldsResources(instances.holdsResources());
    for (int added : opened) {
      if (instances.instance(added).isActive()) {
        scheduler.addInstance(added);
      }
    }
    for (int instance : surplus) {
      if (instances.instance(instance).isActive()) {
        scheduler.removeInstance(instance);
      } else {
        instances.instance(instance).retire();
      }
    }
  }

  /** Opens all of them or, if one fails, none. */
  private List<Integer> open(List<InstanceSettings> missing) {
    List<Integer> opened = new ArrayList<>();
    try {
      missing.forEach(settings -> opened.add(instances.add(settings)));
      return opened;
    } catch (RuntimeException | Error failure) {
      opened.forEach(added -> instances.instance(added).retire());
      throw failure;
    }
  }

  /** Removes the first that equals {@code settings}, if any. */
  private static boolean take(InstanceSettings settings, List<InstanceSettings> missing) {
    for (int i = 0; i < missing.size(); i++) {
      if (missing.get(i).named(settings.name()).equals(settings)) {
        missing.remove(i);
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    surroundings.own().cancel(); // since the backend's threads may wait for them
    scheduler.close();
    instances.close();
    scheduler.endJournal();
    try {
      model.model().close();
    } finally {
      surroundings.own().close();
      surroundings.parts().close();
      if (surroundings.ownsInputPool()) {
        model.inputPool().close();
      }
    }
  }
}
