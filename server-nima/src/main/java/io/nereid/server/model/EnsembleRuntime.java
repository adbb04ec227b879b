package io.nereid.server.model;

import io.nereid.server.memory.BufferPool;
import io.nereid.server.scheduling.ensemble.EnsembleScheduler;

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
