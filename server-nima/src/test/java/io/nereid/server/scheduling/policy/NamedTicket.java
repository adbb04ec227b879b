package io.nereid.server.scheduling.policy;

import io.nereid.request.RequestOptions;
import io.nereid.server.request.Ticket;

/** A ticket of no request but a name, or a number. */
public final class NamedTicket extends Ticket {
  private final Object name;

  /** A ticket of that name, which is the client's id too. */
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

  /** The name that a ticket was given. */
  public static Object nameOf(Ticket ticket) {
    return ((NamedTicket) ticket).name;
  }

  @Override
  public String id() {
    return name.toString();
  }
}
