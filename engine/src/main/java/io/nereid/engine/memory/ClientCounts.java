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

  /**
   * Of each client that has one. A count that is not 0 changes without the map's lock; it begins
   * and ends, so that it is 0 in no map, with it.
   */
  private final ConcurrentMap<ClientKey, AtomicInteger> clients = new ConcurrentHashMap<>();

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
    int own = increment(client);
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
    AtomicInteger own = clients.get(client);
    if (own == null || change(own, /* least= */ 2, -1) == 0) {
      clients.computeIfPresent(client, (_, last) -> last.decrementAndGet() == 0 ? null : last);
    }
    all.decrementAndGet();
  }

  private int increment(ClientKey client) {
    AtomicInteger own = clients.get(client);
    int incremented = own == null ? 0 : change(own, /* least= */ 1, 1);
    if (incremented > 0) {
      return incremented;
    }
    return clients
        .compute(
            client,
            (_, present) -> {
              AtomicInteger counted = present == null ? new AtomicInteger() : present;
              counted.incrementAndGet();
              return counted;
            })
        .get();
  }

  /** Changes a count that has a least value, and returns it; 0 if it has less. */
  private static int change(AtomicInteger count, int least, int change) {
    int before = count.get();
    while (before >= least) {
      if (count.compareAndSet(before, before + change)) {
        return before + change;
      }
      before = count.get();
    }
    return 0;
  }

  /** The number of a client's. */
  public int of(ClientKey client) {
    AtomicInteger own = clients.get(client);
    return own == null ? 0 : own.get();
  }

  /** The number of all. */
  public int all() {
    return all.get();
  }
}
