package io.nereid.server.scheduling.journal.replay;

import io.nereid.request.RequestOptions;
import io.nereid.server.request.Ticket;

/** The ticket of a request that a journal speaks of. */
final class ReplayedTicket extends Ticket {
  private final String id;

  ReplayedTicket(
      String id,
      long rows,
      long arrivalNanos,
      long deadlineNanos,
      ReplayedKey batchKey,
      RequestOptions options) {
    super(rows, arrivalNanos, deadlineNanos, options);
    this.id = id;
    batchKey(batchKey);
  }

  @Override
  public String id() {
    return id;
  }
}
