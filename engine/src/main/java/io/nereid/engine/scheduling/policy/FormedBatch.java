package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The batch that was formed last, which may be dispatched. Reused. */
public final class FormedBatch {
  /** The first {@link #size} elements are the requests; null for a padding row. */
  public @Nullable Ticket[] tickets = new @Nullable Ticket[16];

  /** The number of rows to dispatch; 0 to wait. */
  public int size;

  public DispatchReason reason = DispatchReason.NO_DELAY;

  /** When to form the batch again if no event precedes that time. */
  public long waitUntil = Ticket.NEVER;

  /** The request of a row that is no padding. */
  public Ticket request(int row) {
    return Objects.requireNonNull(tickets[row]);
  }

  /** Sets the request of a row; null for padding. */
  public void set(int row, @Nullable Ticket request) {
    if (row >= tickets.length) {
      tickets = Arrays.copyOf(tickets, 2 * row);
    }
    tickets[row] = request;
  }

  /** Clears the batch, so that it keeps no request reachable. */
  public void forget() {
    Arrays.fill(tickets, 0, size, null);
    size = 0;
  }
}
