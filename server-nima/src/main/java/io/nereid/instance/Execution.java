package io.nereid.instance;

import io.nereid.exchange.PendingRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch on its way to an instance. There is one an instance, used again and again: the scheduler
 * fills it while the instance is idle and hands it over; then it is the instance's until its
 * execution has ended.
 */
public final class Execution {
  private final List<PendingRequest> requests = new ArrayList<>();

  /** Adds a request, which becomes the instance's. */
  public void add(PendingRequest request) {
    requests.add(request);
  }

  /** The requests, in the order of rows. */
  List<PendingRequest> requests() {
    return requests;
  }

  void clear() {
    requests.clear();
  }
}
