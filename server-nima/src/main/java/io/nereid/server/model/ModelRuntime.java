package io.nereid.server.model;

import io.nereid.server.memory.BufferPool;
import io.nereid.server.scheduling.Scheduler;

/** What runs a loaded version's requests. From any thread. */
interface ModelRuntime extends AutoCloseable {
  Scheduler scheduler();

  /** Where inputs are best decoded to. */
  BufferPool inputPool();

  boolean isHealthy();

  /** Whether it holds, while it runs, what others may wait for. */
  boolean holdsResources();

  /** Once no request is inside any more. */
  @Override
  void close();
}
