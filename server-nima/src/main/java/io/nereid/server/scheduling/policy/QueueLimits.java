package io.nereid.server.scheduling.policy;

import io.nereid.server.request.Ticket;

/**
 * The limits of a scheduler's queue, in addition to those in the model's configuration.
 *
 * @param requests upper limit of waiting requests
 * @param maxWaitNanos how long a request may wait for an instance; {@link Ticket#NEVER} for no
 *     limit
 */
public record QueueLimits(int requests, long maxWaitNanos) {
  public QueueLimits {
    if (requests < 1 || maxWaitNanos < 0) {
      throw new IllegalArgumentException("%d requests, %d ns".formatted(requests, maxWaitNanos));
    }
  }

  /** A limit of the number of requests, none of their wait. */
  public static QueueLimits of(int requests) {
    return new QueueLimits(requests, Ticket.NEVER);
  }
}
