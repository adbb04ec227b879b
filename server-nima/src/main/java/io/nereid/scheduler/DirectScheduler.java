package io.nereid.scheduler;

import io.nereid.error.InferenceException;
import io.nereid.exchange.PendingRequest;
import io.nereid.exchange.RequestIds;
import io.nereid.instance.RequestRing;

/**
 * No batching: each request is a batch of its own, and requests start in order of arrival on
 * whichever instance is idle. One hand-off lies between a connection and the instance: the ring.
 */
public final class DirectScheduler implements Scheduler {
  private final RequestRing ring;

  public DirectScheduler(RequestRing ring) {
    this.ring = ring;
  }

  @Override
  public void submit(PendingRequest request) {
    if (!ring.offer(request)) {
      request.close();
      request
          .promise()
          .fail(
              InferenceException.unavailable(
                  "%sExceeds maximum queue size: %d requests of model '%s' are waiting"
                      .formatted(
                          RequestIds.prefix(request.request().id()),
                          ring.capacity(),
                          request.request().model().name())));
    }
  }
}
