package io.nereid.server.model;

import io.nereid.server.memory.BufferPool;
import io.nereid.server.scheduling.Scheduler;

/** The part of a loaded version that executes its requests. Thread-safe. */
interface ModelRuntime extends AutoCloseable {
  Scheduler scheduler();

  /** The memory to decode inputs into. */
  BufferPool inputPool();

  boolean isHealthy();

  /** Whether an execution holds resources that other models may wait for. */
  boolean holdsResources();

  /** Called once, after the last request. */
  @Override
  void close();
}
