package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/**
 * The places that each client has in a queue. A client may have a fixed number, or as many as it
 * leaves free for others, and then always {@link #ALWAYS}. Requests whose client is not known are
 * not limited.
 */
public final class ClientPlaces {
  /** How many places a client may have whatever is free. */
  public static final int ALWAYS = 256;

  private static final class Client {
    int waiting;
  }

  private final int capacity;
  private final int maxOfClient;
  private final Clients<Client> clients = new Clients<>(Client::new, client -> client.waiting == 0);

  public ClientPlaces(QueueLimits limits) {
    this.capacity = limits.requests();
    this.maxOfClient = limits.clientRequests();
  }

  /**
   * Whether a request may wait.
   *
   * @param waiting the requests that wait
   */
  public boolean admits(Ticket ticket, int waiting) {
    if (ticket.client().isEmpty()) {
      return true;
    }
    if (maxOfClient != QueueLimits.SHARE) {
      return of(ticket).waiting < maxOfClient;
    }
    if (waiting < ALWAYS) {
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
  public int clients() {
    return clients.count();
  }

  private Client of(Ticket ticket) {
    return clients.of(ticket.client());
  }
}
