package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;
import io.nereid.request.RequestOptions;

/** A ticket with a name or a number in place of a request. */
public final class NamedTicket extends Ticket {
  private final Object name;

  /** Creates a ticket whose name is also the client's id. */
  public NamedTicket(
      Object name,
      long rows,
      long arrivalNanos,
      long deadlineNanos,
      Object batchKey,
      RequestOptions options) {
    super(rows, arrivalNanos, deadlineNanos, options);
    this.name = name;
    batchKey(batchKey);
  }

  /** The name of a ticket. */
  public static Object nameOf(Ticket ticket) {
    return ((NamedTicket) ticket).name;
  }

  @Override
  public String id() {
    return name.toString();
  }
}
