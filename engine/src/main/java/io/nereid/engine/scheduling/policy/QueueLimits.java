package io.nereid.engine.scheduling.policy;

import io.nereid.engine.request.Ticket;

/**
 * The limits of a scheduler's queue, in addition to those in the model's configuration.
 *
 * @param requests upper limit of waiting requests
 * @param maxWaitNanos how long a request may wait for an instance; {@link Ticket#NEVER} for no
 *     limit
 * @param clientRequests how many of them a client may have, and {@code clientSequences} how many
 *     sequences; {@link #SHARE} for as many as it leaves free for others
 */
public record QueueLimits(
    int requests, long maxWaitNanos, int clientRequests, int clientSequences) {
  /** A client may have as many as it leaves free for others. */
  public static final int SHARE = 0;

  public QueueLimits {
    if (requests < 1 || maxWaitNanos < 0 || clientRequests < 0 || clientSequences < 0) {
      throw new IllegalArgumentException(
          "%d requests, %d ns, %d requests and %d sequences of a client"
              .formatted(requests, maxWaitNanos, clientRequests, clientSequences));
    }
  }

  /** A limit of the number of requests, none of their wait; a client may have its share. */
  public static QueueLimits of(int requests) {
    return new QueueLimits(requests, Ticket.NEVER, SHARE, SHARE);
  }
}
