package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.engine.scheduling.policy.Clients;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The requests whose heads have come and were not refused, until they arrive. Without them all
 * heads would find the same short queue while the inputs are under way, and the inputs would
 * compete for the connections until all of them come too late. A client may never send the inputs;
 * so a request is expected for {@link #NANOS} at most, and delays only others whose inputs have not
 * come either.
 */
final class ExpectedRequests {
  /** How long a request is expected. */
  static final long NANOS = 100_000_000;

  private static final class Client {
    /** The heads whose requests are expected, in the order in which they came. */
    final Deque<Head> heads = new ArrayDeque<>(1);
  }

  private static final class Head {
    final Client client;
    final long nanos;

    Head(Client client, long nanos) {
      this.client = client;
      this.nanos = nanos;
    }
  }

  private final Clients<Client> clients =
      new Clients<>(Client::new, client -> client.heads.isEmpty());

  /** All heads in the order in which they came; those whose requests have arrived, too. */
  private final Deque<Head> heads = new ArrayDeque<>();

  /** The number of clients of which requests are expected. */
  private int busyClients;

  void add(String name, long now) {
    Client client = clients.of(name);
    if (client.heads.isEmpty()) {
      busyClients++;
    }
    var head = new Head(client, now);
    client.heads.addLast(head);
    heads.addLast(head);
  }

  /** One of a client has arrived. */
  void arrived(String name) {
    removeFirst(clients.of(name));
  }

  /** How many precede a request of a client: its own, and one of each other client. */
  int ahead(String name, long now) {
    for (Head first = heads.peekFirst(); first != null; first = heads.peekFirst()) {
      if (first.equals(first.client.heads.peekFirst())) {
        if (now - first.nanos <= NANOS) {
          break;
        }
        removeFirst(first.client);
      }
      heads.removeFirst();
    }
    int own = clients.of(name).heads.size();
    return own == 0 ? busyClients : own + busyClients - 1;
  }

  private void removeFirst(Client client) {
    if (client.heads.pollFirst() != null && client.heads.isEmpty()) {
      busyClients--;
    }
  }
}
