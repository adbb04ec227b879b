package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.request.TicketQueue;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order in which waiting requests are considered for a batch that groups neighbours in weight.
 *
 * <p>The request at the front is always the first, so none waits for ever. Its neighbours follow:
 * those of the nearest weights first, of two equally near ones the one that is served earlier. The
 * others come last, in the order of the queue. A neighbour is in the front's queue, which has one
 * priority level, among the first {@link #BATCHES} batches of it; it may share a batch with the
 * front; and it arrived less than the limit after the front.
 *
 * <p>So where requests are first in first out, one is overtaken only by those that arrived less
 * than the limit after it: it waits as if it had arrived by so much later. A limit of the time in
 * the queue would end all grouping once the queue is long, which is when it is needed.
 */
final class NeighbourOrder {
  /** How many batches of requests are searched for neighbours. */
  private static final int BATCHES = 4;

  /** The most requests that are searched, however large a batch may be. */
  private static final int MAX_SEARCHED = 1_024;

  private static final int INDEX_BITS = 10;
  private static final long INDEX_MASK = MAX_SEARCHED - 1L;

  private final long maxReorderingMicros;

  /** What follows the front in its queue, and is not in the order yet. */
  private final @Nullable Ticket[] found;

  /** Of each neighbour, its distance in weight and its index in {@link #found}. */
  private final long[] neighbours;

  /** The front, its neighbours, and the others of {@link #found}. */
  private final @Nullable Ticket[] order;

  private int ordered;

  /** The request that was considered last, in the order of the queue. */
  private @Nullable Ticket last;

  /** The requests of the batches that precede this one and were not dispatched yet. */
  private final Set<Ticket> taken = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * @param maxReorderingMicros how much later than the front a neighbour may have arrived
   * @param maxRows of a batch
   */
  NeighbourOrder(long maxReorderingMicros, long maxRows) {
    this.maxReorderingMicros = maxReorderingMicros;
    int searched = (int) Math.min(MAX_SEARCHED, BATCHES * maxRows);
    found = new Ticket[searched];
    neighbours = new long[searched];
    order = new Ticket[searched + 1];
  }

  /** Begins with the request at the front of those that are not taken. */
  void begin(Ticket front) {
    long latest = Times.after(front.arrivalNanos(), maxReorderingMicros);
    int size = 0;
    int near = 0;
    last = front;
    for (Ticket each = front.next; each != null && size < found.length; each = each.next) {
      last = each;
      if (!taken.contains(each)) {
        if (each.arrivalNanos() < latest && each.batchKey().equals(front.batchKey())) {
          long distance = Math.abs((long) each.weight() - front.weight());
          neighbours[near++] = distance << INDEX_BITS | size;
        }
        found[size++] = each;
      }
    }
    Arrays.sort(neighbours, 0, near);
    order[0] = front;
    ordered = 1;
    for (int i = 0; i < near; i++) {
      order((int) (neighbours[i] & INDEX_MASK));
    }
    for (int i = 0; i < size; i++) {
      order(i);
    }
  }

  private void order(int index) {
    if (found[index] != null) {
      order[ordered++] = found[index];
      found[index] = null;
    }
  }

  /** The request at a place of the order; places are asked for one after the other. */
  @Nullable Ticket at(int place) {
    if (place < ordered) {
      return order[place];
    }
    Ticket next = Objects.requireNonNull(last);
    do {
      next = TicketQueue.after(next);
    } while (next != null && taken.contains(next));
    last = next == null ? last : next;
    return next;
  }

  /** Ends the order, which keeps no request reachable. */
  void end() {
    Arrays.fill(order, 0, ordered, null);
    ordered = 0;
    last = null;
  }

  /** Takes the requests of a batch out of the following ones. */
  void take(FormedBatch batch) {
    for (int i = 0; i < batch.size; i++) {
      taken.add(batch.request(i));
    }
  }

  /** The first request that is not taken; null if there is none. */
  @Nullable Ticket next(@Nullable Ticket first) {
    Ticket next = first;
    while (next != null && taken.contains(next)) {
      next = TicketQueue.after(next);
    }
    return next;
  }

  /** Forgets what was taken. */
  void release() {
    taken.clear();
  }
}
