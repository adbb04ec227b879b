package io.nereid.server.http.limits;

import io.nereid.engine.memory.ClientKey;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The numbers of open connections, in all and of each client. Thread-safe. */
public final class ClientCounts {
  private final ConnectionLimits limits;
  private final AtomicInteger all = new AtomicInteger();

  /** Of each client that has a connection. */
  private final ConcurrentMap<ClientKey, Integer> clients = new ConcurrentHashMap<>();

  public ClientCounts(ConnectionLimits limits) {
    this.limits = limits;
  }

  /**
   * Counts a connection, or returns which limit it would exceed: the client's first, if that is
   * lower, so that no room is made for a client that has its share.
   */
  public Optional<HttpRefusal> add(ClientKey client) {
    int share = limits.maxConnectionsPerClient();
    if (clients.merge(client, 1, Integer::sum) > share && share < limits.maxConnections()) {
      removeOf(client);
      return Optional.of(HttpRefusal.CLIENT_CONNECTIONS);
    }
    if (all.incrementAndGet() > limits.maxConnections()) {
      remove(client);
      return Optional.of(HttpRefusal.CONNECTIONS);
    }
    return Optional.empty();
  }

  /** Ends the count of a connection. */
  public void remove(ClientKey client) {
    removeOf(client);
    all.decrementAndGet();
  }

  private void removeOf(ClientKey client) {
    clients.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
  }

  /** The number of open connections. */
  public int all() {
    return all.get();
  }
}
