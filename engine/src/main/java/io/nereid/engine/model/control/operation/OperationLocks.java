package io.nereid.engine.model.control.operation;

import io.nereid.engine.thread.Uninterrupted;
import io.nereid.error.InferenceException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * The models that operations load or unload at present. Operations on related models follow one
 * another, all others run concurrently. Thread-safe.
 */
final class OperationLocks {
  private final Set<String> held = new HashSet<>();
  private boolean closed;

  /** The models of one operation. */
  final class Held implements AutoCloseable {
    private final Set<String> models;

    private Held(Set<String> models) {
      this.models = Set.copyOf(models);
    }

    boolean covers(Set<String> names) {
      return models.containsAll(names);
    }

    @Override
    public void close() {
      release(models);
    }
  }

  /**
   * Waits until no other operation holds one of these models.
   *
   * @throws InferenceException UNAVAILABLE if the server exits
   */
  synchronized Held acquire(Set<String> models) {
    while (!closed && !Collections.disjoint(held, models)) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw InferenceException.cancelled();
      }
    }
    if (closed) {
      throw InferenceException.unavailable("Server exiting");
    }
    held.addAll(models);
    return new Held(models);
  }

  private synchronized void release(Set<String> models) {
    held.removeAll(models);
    notifyAll();
  }

  /** Rejects further operations, and waits for those that run. */
  synchronized void close() {
    closed = true;
    notifyAll();
    Uninterrupted.until(held::isEmpty, this::wait); // what an operation loads must be closed
  }
}
