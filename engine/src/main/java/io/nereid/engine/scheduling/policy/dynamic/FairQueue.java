package io.nereid.engine.scheduling.policy.dynamic;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import io.nereid.engine.scheduling.policy.Clients;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A queue that is fair by client, round robin by rows: start-time fair queueing (Goyal, Vin and
 * Cheng, 1996). A request has a start tag: how many rows its client has asked for before it,
 * counted from the tag of the request that was served last, if the client had none waiting then.
 * The queue is in order of these tags, and requests with equal ones in order of arrival. So the
 * requests of one client stay in order, and the next request of a client that asks once at a time
 * precedes all but the first few of one that asks for hundreds.
 *
 * <p>While there is one client, the tags are those of a queue that is first in first out, and that
 * is all it costs. The first request that precedes others causes an index of the tags, which is
 * kept until the queue is empty: it finds a place in logarithmic time.
 */
final class FairQueue {
  private static final class Client {
    /** The start tag of its next request, if that is not before the virtual time. */
    long nextTag;

    /** The same, after the requests that were served. */
    long servedTag;

    int waiting;
  }

  /** The waiting requests with one start tag. */
  private static final class Tag {
    Ticket last;
    int requests;
    long rows;

    Tag(Ticket first) {
      last = first;
    }
  }

  /** The waiting requests in their order. */
  final TicketQueue tickets = new TicketQueue();

  private final boolean isFair;
  private final Clients<Client> clients = new Clients<>(Client::new, client -> client.waiting == 0);

  /** The client of the last request, which is usually the next one's too. */
  private Client recent = clients.of("");

  private String recentName = "";

  /** The start tag of the request that was served last. */
  private long virtualTime;

  /** The waiting requests by tag; null while all are in the order of their arrival. */
  private @Nullable NavigableMap<Long, Tag> tags;

  /**
   * @param isFair whether the clients are told apart; else the queue is first in first out
   */
  FairQueue(boolean isFair) {
    this.isFair = isFair;
  }

  /** Enqueues a request at the place that its client has. */
  void add(Ticket ticket) {
    Client client = client(ticket);
    ticket.startTag = startTag(client);
    client.nextTag = ticket.startTag + ticket.rows();
    client.waiting++;
    if (isLast(ticket.startTag)) {
      tickets.addLast(ticket);
    } else {
      Map.Entry<Long, Tag> before = index().floorEntry(ticket.startTag);
      tickets.insert(ticket, before == null ? null : before.getValue().last);
    }
    if (tags != null) {
      enter(tags, ticket);
    }
  }

  /** Removes a request that is served: the one at the front, or one that overtakes others. */
  void serve(Ticket ticket) {
    Client client = remove(ticket);
    client.servedTag = Math.max(client.servedTag, ticket.startTag + ticket.rows());
    virtualTime = Math.max(virtualTime, ticket.startTag);
  }

  /** Removes a request that is not served. Its client pays for it while others of it wait. */
  void withdraw(Ticket ticket) {
    Client client = remove(ticket);
    if (client.waiting == 0) {
      client.nextTag = client.servedTag;
    }
  }

  /** The number of requests that would precede a request which is not queued. */
  long requestsAhead(Ticket ticket) {
    return ahead(ticket, /* rows= */ false);
  }

  /** The sum of their rows. */
  long rowsAhead(Ticket ticket) {
    return ahead(ticket, /* rows= */ true);
  }

  /** The request at the back, if it would be behind one which is not queued; else null. */
  @Nullable Ticket lastBehind(Ticket ticket) {
    return isLast(startTag(client(ticket))) ? null : tickets.last();
  }

  private long ahead(Ticket ticket, boolean rows) {
    long tag = startTag(client(ticket));
    long all = rows ? tickets.rows() : tickets.size();
    Ticket last = tickets.last();
    if (last == null || last.startTag <= tag) {
      return all;
    }
    boolean isInFirstHalf = tag - virtualTime < last.startTag - tag;
    return isInFirstHalf
        ? sum(index().headMap(tag, true), rows)
        : all - sum(index().tailMap(tag, false), rows);
  }

  private static long sum(Map<Long, Tag> some, boolean rows) {
    long sum = 0;
    for (Tag tag : some.values()) {
      sum += rows ? tag.rows : tag.requests;
    }
    return sum;
  }

  private Client client(Ticket ticket) {
    String name = isFair ? ticket.client() : "";
    if (!name.equals(recentName)) {
      recent = clients.of(name);
      recentName = name;
    }
    return recent;
  }

  private long startTag(Client client) {
    return Math.max(virtualTime, client.nextTag);
  }

  private boolean isLast(long startTag) {
    Ticket last = tickets.last();
    return last == null || last.startTag <= startTag;
  }

  private Client remove(Ticket ticket) {
    if (tags != null) {
      leave(tags, ticket);
    }
    tickets.remove(ticket);
    if (tickets.isEmpty()) {
      tags = null;
    }
    Client client = client(ticket);
    client.waiting--;
    return client;
  }

  private NavigableMap<Long, Tag> index() {
    if (tags == null) {
      tags = new TreeMap<>();
      for (Ticket each = tickets.first(); each != null; each = each.next) {
        enter(tags, each);
      }
    }
    return tags;
  }

  private static void enter(Map<Long, Tag> tags, Ticket ticket) {
    Tag tag = tags.computeIfAbsent(ticket.startTag, _ -> new Tag(ticket));
    tag.last = ticket;
    tag.requests++;
    tag.rows += ticket.rows();
  }

  private static void leave(Map<Long, Tag> tags, Ticket ticket) {
    Tag tag = Objects.requireNonNull(tags.get(ticket.startTag));
    tag.requests--;
    tag.rows -= ticket.rows();
    if (tag.requests == 0) {
      tags.remove(ticket.startTag);
    } else if (tag.last.equals(ticket)) {
      tag.last = Objects.requireNonNull(TicketQueue.before(ticket));
    }
  }
}
