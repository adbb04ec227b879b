package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.request.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reference model of a queue that is fair by client: the start tags of its requests, in a list
 * that is searched.
 */
final class ReferenceShares {
  private final boolean isFair;
  private final Map<Ticket, Long> tags = new HashMap<>();
  private final Map<String, Long> next = new HashMap<>();
  private final Map<String, Long> served = new HashMap<>();

  /** The waiting requests in the order in which they are served. */
  private final List<Ticket> queue = new ArrayList<>();

  private long virtualTime;

  ReferenceShares(boolean isFair) {
    this.isFair = isFair;
  }

  private String client(Ticket ticket) {
    return isFair ? ticket.client() : "all";
  }

  private long tag(Ticket ticket) {
    return Math.max(virtualTime, next.getOrDefault(client(ticket), 0L));
  }

  private long tagOf(Ticket waiting) {
    return tags.getOrDefault(waiting, 0L);
  }

  /** The waiting requests that would precede one. */
  List<Ticket> ahead(Ticket ticket) {
    return queue.stream().filter(each -> tagOf(each) <= tag(ticket)).toList();
  }

  /** The last request, if all waiting requests do not precede one. */
  List<Ticket> behind(Ticket ticket) {
    return ahead(ticket).size() == queue.size() ? List.of() : List.of(queue.getLast());
  }

  void add(Ticket ticket) {
    long tag = tag(ticket);
    queue.add(ahead(ticket).size(), ticket);
    tags.put(ticket, tag);
    next.put(client(ticket), tag + ticket.rows());
  }

  int place(Ticket ticket) {
    return queue.indexOf(ticket);
  }

  void serve(Ticket ticket) {
    if (queue.remove(ticket)) {
      virtualTime = Math.max(virtualTime, tagOf(ticket));
      served.merge(client(ticket), tagOf(ticket) + ticket.rows(), Math::max);
    }
  }

  void withdraw(Ticket ticket) {
    if (!queue.remove(ticket)) {
      return;
    }
    String client = client(ticket);
    if (queue.stream().noneMatch(each -> client(each).equals(client))) {
      next.put(client, served.getOrDefault(client, 0L));
    }
  }
}
