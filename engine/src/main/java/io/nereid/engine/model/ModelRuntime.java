package io.nereid.engine.model;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.scheduling.Scheduler;
import io.nereid.error.InferenceException;
import io.nereid.spi.MemoryUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of a loaded version that executes its requests. Thread-safe. */
public interface ModelRuntime extends AutoCloseable {
  Scheduler scheduler();

  /** The memory to decode inputs into. */
  BufferPool inputPool();

  /** Whether a value of an input may be missing. */
  default boolean takesMissing() {
    return false;
  }

  boolean isHealthy();

  /** Why the version is to get no requests until it is loaded again; null if it may get some. */
  default @Nullable InferenceException failure() {
    return null;
  }

  /** What of the configuration the backend has left out; empty if nothing. */
  default String warning() {
    return "";
  }

  /**
   * Replaces the instances while requests execute. One thread at a time calls this.
   *
   * @throws InferenceException if an instance cannot be opened; the instances are then unchanged
   */
  void update(List<InstanceSettings> instances);

  /** Looks for executions that take longer than a limit; one thread at a time calls this. */
  default void watch(long limitNanos) {}

  /** Which execution {@link #watch} has found overdue; empty if none. */
  default String overdue() {
    return "";
  }

  /** The memory that the model uses now. */
  default List<MemoryUsage> memoryUsage() {
    return List.of();
  }

  /** Whether an execution holds resources that other models may wait for. */
  default boolean holdsResources() {
    return false;
  }

  /** The names of the instances that execute a batch now, as a snapshot. */
  default List<String> executing() {
    return List.of();
  }

  /** The models that are parts of this one, which are closed with it. */
  default List<LoadedModel> parts() {
    return List.of();
  }

  /** The number of requests that a backend answers after their execution, as a snapshot. */
  default int detached() {
    return 0;
  }

  /** Called once, after the last request. */
  @Override
  void close();
}
