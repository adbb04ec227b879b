package io.nereid.engine.model.control;

import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import java.util.HashMap;
import java.util.Map;

/**
 * The loads that each client has under way: as many as its share. A further one waits, before it
 * holds anything that others wait for. Thread-safe.
 */
final class ClientLoads {
  private final int share;
  private final Map<ClientKey, Integer> underWay = new HashMap<>();
  private boolean closed;

  ClientLoads(int share) {
    this.share = share;
  }

  /** Ends a load of a client. */
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Waits until a client has less than its share.
   *
   * @throws InferenceException UNAVAILABLE if the server exits
   */
  synchronized Held acquire(ClientKey client) {
    while (!closed && underWay.getOrDefault(client, 0) >= share) {
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
    underWay.merge(client, 1, Integer::sum);
    return () -> release(client);
  }

  private synchronized void release(ClientKey client) {
    underWay.computeIfPresent(client, (_, loads) -> loads == 1 ? null : loads - 1);
    notifyAll();
  }

  /** Rejects those that wait, and later ones. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
