package io.nereid.engine.request;

import org.jspecify.annotations.Nullable;

/** A linked list of tickets, whose links they hold: any ticket is removed in constant time. */
public final class TicketQueue {
  private @Nullable Ticket first;
  private @Nullable Ticket last;
  private int size;
  private long rows;

  /** The queue whose tickets follow all of this one's. */
  public @Nullable TicketQueue following;

  public int size() {
    return size;
  }

  /** The sum of the rows of its tickets. */
  public long rows() {
    return rows;
  }

  public @Nullable Ticket first() {
    return first;
  }

  public boolean isEmpty() {
    return first == null;
  }

  /** The first ticket of this queue and the queues that follow it. */
  public @Nullable Ticket firstOfAll() {
    TicketQueue queue = this;
    while (queue.first == null && queue.following != null) {
      queue = queue.following;
    }
    return queue.first;
  }

  /** The ticket after a queued one, in its queue or the queues that follow. */
  public static @Nullable Ticket after(Ticket ticket) {
    if (ticket.next != null || ticket.queue == null || ticket.queue.following == null) {
      return ticket.next;
    }
    return ticket.queue.following.firstOfAll();
  }

  public @Nullable Ticket last() {
    return last;
  }

  /** The ticket before a queued one in its queue. */
  public static @Nullable Ticket before(Ticket ticket) {
    return ticket.previous;
  }

  public void addLast(Ticket ticket) {
    insert(ticket, last);
  }

  /**
   * Adds a ticket behind one of this queue.
   *
   * @param previous null to add it at the front
   */
  public void insert(Ticket ticket, @Nullable Ticket previous) {
    Ticket next = previous == null ? first : previous.next;
    ticket.queue = this;
    ticket.previous = previous;
    ticket.next = next;
    if (previous == null) {
      first = ticket;
    } else {
      previous.next = ticket;
    }
    if (next == null) {
      last = ticket;
    } else {
      next.previous = ticket;
    }
    size++;
    rows += ticket.rows();
  }

  /** Removes a ticket of this queue. */
  public void remove(Ticket ticket) {
    Ticket before = ticket.previous;
    Ticket after = ticket.next;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    ticket.queue = null;
    ticket.previous = null;
    ticket.next = null;
    size--;
    rows -= ticket.rows();
  }
}
