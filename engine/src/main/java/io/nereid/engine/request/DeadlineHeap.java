package io.nereid.engine.request;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of tickets, ordered by {@link Ticket#wakeNanos} and then by insertion. Removes any
 * ticket in logarithmic time.
 */
public final class DeadlineHeap {
  private @Nullable Ticket[] heap = new @Nullable Ticket[16];
  private int size;
  private long added;

  /** The earliest wake time; {@link Ticket#NEVER} if the heap is empty. */
  public long nearest() {
    return size == 0 ? Ticket.NEVER : first().wakeNanos();
  }

  /** The ticket with the earliest wake time; the heap must not be empty. */
  public Ticket first() {
    return at(0);
  }

  public void add(Ticket ticket) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    ticket.heapOrder = added++;
    size++;
    rise(size - 1, ticket);
  }

  /** Removes a ticket, if it is present. */
  public void remove(Ticket ticket) {
    int index = ticket.heapIndex;
    if (index < 0) {
      return;
    }
    ticket.heapIndex = -1;
    size--;
    Ticket moved = at(size);
    heap[size] = null;
    if (index < size) {
      sink(index, moved);
      if (moved.heapIndex == index) {
        rise(index, moved);
      }
    }
  }

  private void rise(int from, Ticket ticket) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) / 2;
      if (!isBefore(ticket, at(parent))) {
        break;
      }
      put(index, at(parent));
      index = parent;
    }
    put(index, ticket);
  }

  private void sink(int from, Ticket ticket) {
    int index = from;
    while (2 * index + 1 < size) {
      int child = 2 * index + 1;
      if (child + 1 < size && isBefore(at(child + 1), at(child))) {
        child++;
      }
      if (!isBefore(at(child), ticket)) {
        break;
      }
      put(index, at(child));
      index = child;
    }
    put(index, ticket);
  }

  private static boolean isBefore(Ticket ticket, Ticket other) {
    long wake = ticket.wakeNanos();
    long otherWake = other.wakeNanos();
    return wake < otherWake || (wake == otherWake && ticket.heapOrder < other.heapOrder);
  }

  private Ticket at(int index) {
    return Objects.requireNonNull(heap[index]);
  }

  private void put(int index, Ticket ticket) {
    heap[index] = ticket;
    ticket.heapIndex = index;
  }
}
