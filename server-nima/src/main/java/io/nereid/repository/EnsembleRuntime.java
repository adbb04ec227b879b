package io.nereid.repository;

import io.nereid.ensemble.EnsembleScheduler;
import io.nereid.memory.BufferPool;

/** An ensemble: it runs on other models, which are loaded and closed on their own. */
record EnsembleRuntime(EnsembleScheduler scheduler, BufferPool inputPool) implements ModelRuntime {
  @Override
  public boolean isHealthy() {
    return scheduler.isHealthy();
  }

  @Override
  public boolean holdsResources() {
    return false;
  }

  @Override
  public void close() {
    scheduler.close();
  }
}
