package io.nereid.server.model;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.server.backend.BackendContext;
import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.scheduling.SchedulerLoop;
import io.nereid.spi.Model;
import java.util.ArrayList;
import java.util.List;

/**
 * A backend's model: its instances, and the scheduler in front of them.
 *
 * @param inputPool the memory that this model would have its inputs in
 * @param ownsInputPool whether the pool goes with the model
 */
record InstanceRuntime(
    Model model,
    InstanceGroup instances,
    SchedulerLoop scheduler,
    BufferPool inputPool,
    boolean ownsInputPool)
    implements ModelRuntime {
  @Override
  public boolean isHealthy() {
    return instances.isHealthy();
  }

  @Override
  public boolean holdsResources() {
    return instances.holdsResources();
  }

  /**
   * Has the model run on these instances from now on: opens those that are missing, then takes
   * those that are too many out of service, while requests run on. Instances are told apart by
   * their settings, names aside. By one thread at a time.
   *
   * @throws InferenceException if one cannot be opened; then nothing has changed
   */
  void update(List<InstanceSettings> wanted) {
    List<Integer> surplus = new ArrayList<>();
    List<InstanceSettings> missing = new ArrayList<>(wanted);
    for (int i = 0; i < instances.size(); i++) {
      if (instances.isOpen(i) && !take(instances.settings(i), missing)) {
        surplus.add(i);
      }
    }
    for (int added : open(missing)) {
      if (instances.isActive(added)) {
        scheduler.addInstance(added);
      }
    }
    for (int instance : surplus) {
      if (instances.isActive(instance)) {
        scheduler.removeInstance(instance);
      } else {
        instances.retire(instance);
      }
    }
  }

  /** Opens all or none. */
  private List<Integer> open(List<InstanceSettings> missing) {
    List<Integer> opened = new ArrayList<>();
    try {
      missing.forEach(settings -> opened.add(instances.add(settings)));
      return opened;
    } catch (RuntimeException refused) {
      opened.forEach(instances::retire);
      throw refused;
    }
  }

  /** Takes out the first that is like {@code settings}; false if none is. */
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
    scheduler.close();
    instances.close();
    try (var _ = new BackendContext(model)) {
      model.close();
    }
    if (ownsInputPool) {
      inputPool.close();
    }
  }
}
