package io.nereid.engine.scheduling.policy;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a queue knows of each client. Clients choose how many there are, so those without a waiting
 * request are forgotten before there are many: the number is bounded by the waiting requests.
 */
public final class Clients<C> {
  /** The number of clients below which those without a request are kept. */
  private static final int FEW = 64;

  private final Supplier<C> create;
  private final Predicate<C> isIdle;
  private final Map<String, C> clients = new HashMap<>();

  /** The number of clients at which the idle ones are forgotten before another is added. */
  private int max = FEW;

  /**
   * @param isIdle whether a client may be forgotten
   */
  public Clients(Supplier<C> create, Predicate<C> isIdle) {
    this.create = create;
    this.isIdle = isIdle;
  }

  /** What is known of a client, which is added if it is new. */
  public C of(String name) {
    C client = clients.get(name);
    if (client == null) {
      if (clients.size() >= max) {
        clients.values().removeIf(isIdle);
        max = Math.max(FEW, 2 * clients.size());
      }
      client = create.get();
      clients.put(name, client);
    }
    return client;
  }

  /** The number of clients that are known. */
  public int count() {
    return clients.size();
  }
}
