package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import java.util.HashMap;
import java.util.Map;

/**
 * The places that each client has in a queue. A client may have as many as it leaves free for
 * others, and always {@link #ALWAYS}. Requests whose client is not known are not limited.
 */
public final class ClientPlaces {
  /** How many places a client may have whatever is free. */
  public static final int ALWAYS = 256;

  /** The number of clients below which those without a request are kept. */
  private static final int FEW_CLIENTS = 64;

  private static final class Client {
    int waiting;
  }

  private final int capacity;
  private final Map<String, Client> clients = new HashMap<>();

  /** The number of clients at which those without a request are removed before another is added. */
  private int maxClients = FEW_CLIENTS;

  /**
   * @param capacity upper limit of all waiting requests
   */
  public ClientPlaces(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Whether a request may wait.
   *
   * @param waiting the requests that wait
   */
  public boolean admits(Ticket ticket, int waiting) {
    if (waiting < ALWAYS || ticket.client().isEmpty()) {
      return true;
    }
    int own = of(ticket).waiting;
    return own < ALWAYS || own + 1 < capacity - waiting;
  }

  /** Counts a request that waits. */
  public void add(Ticket ticket) {
    of(ticket).waiting++;
  }

  /** Counts a request no longer. */
  public void remove(Ticket ticket) {
    of(ticket).waiting--;
  }

  /** The number of clients that are known. */
  int clients() {
    return clients.size();
  }

  private Client of(Ticket ticket) {
    Client client = clients.get(ticket.client());
    if (client == null) {
      if (clients.size() >= maxClients) {
        clients.values().removeIf(each -> each.waiting == 0);
        maxClients = Math.max(FEW_CLIENTS, 2 * clients.size());
      }
      client = new Client();
      clients.put(ticket.client(), client);
    }
    return client;
  }
}
