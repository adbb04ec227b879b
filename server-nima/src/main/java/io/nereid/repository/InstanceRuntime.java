package io.nereid.repository;

import io.nereid.instance.InstanceGroup;
import io.nereid.memory.BufferPool;
import io.nereid.scheduler.Scheduler;
import io.nereid.spi.Model;

/**
 * A backend's model: its instances, and the scheduler in front of them.
 *
 * @param inputPool the memory that this model would have its inputs in
 * @param ownsInputPool whether the pool goes with the model
 */
record InstanceRuntime(
    Model model,
    InstanceGroup instances,
    Scheduler scheduler,
    BufferPool inputPool,
    boolean ownsInputPool)
    implements ModelRuntime {
  @Override
  public boolean isHealthy() {
    return instances.isHealthy();
  }

  @Override
  public void close() {
    scheduler.close();
    instances.close();
    model.close();
    if (ownsInputPool) {
      inputPool.close();
    }
  }
}
