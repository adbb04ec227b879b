package io.nereid.engine.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of something that clients have, in all and of each client, and their limits: one for
 * all, and one for a client, which is fixed or follows what is free, as in {@link RequestMemory}.
 * Thread-safe.
 */
public final class ClientCounts {
  /** Which limit one more would exceed. */
  public enum Excess {
    OF_ALL,
    OF_CLIENT
  }

  /** That a client may have as many as it leaves free for others, and one in any case. */
  private static final int FREE = -1;

  private final int max;
  private final int maxOfClient;
  private final AtomicInteger all = new AtomicInteger();

  /** Of each client that has one. */
  private final ConcurrentMap<ClientKey, Integer> clients = new ConcurrentHashMap<>();

  private ClientCounts(int max, int maxOfClient) {
    this.max = max;
    this.maxOfClient = maxOfClient;
  }

  /** A client may have as many as a number. */
  public static ClientCounts fixed(int max, int maxOfClient) {
    return new ClientCounts(max, maxOfClient);
  }

  /** A client may have as many as it leaves free for others, and one in any case. */
  public static ClientCounts ofFree(int max) {
    return new ClientCounts(max, FREE);
  }

  /**
   * Counts one of a client, or returns which limit it would exceed: that of the client, if both, so
   * that no room is made for a client that has its share.
   */
  public @Nullable Excess add(ClientKey client) {
    int own = clients.merge(client, 1, Integer::sum);
    int before = all.getAndIncrement();
    int share = maxOfClient == FREE ? Math.max(1, max - before - 1) : maxOfClient;
    if (own > share && share < max) {
      remove(client);
      return before >= max && maxOfClient == FREE ? Excess.OF_ALL : Excess.OF_CLIENT;
    }
    if (before >= max) {
      remove(client);
      return Excess.OF_ALL;
    }
    return null;
  }

  /** Ends the count of one. */
  public void remove(ClientKey client) {
    clients.computeIfPresent(client, (_, own) -> own == 1 ? null : own - 1);
    all.decrementAndGet();
  }

  /** The number of a client's. */
  public int of(ClientKey client) {
    return clients.getOrDefault(client, 0);
  }

  public int all() {
    return all.get();
  }
}
