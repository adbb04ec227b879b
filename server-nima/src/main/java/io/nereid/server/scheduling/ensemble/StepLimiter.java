package io.nereid.server.scheduling.ensemble;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many requests a step may have under way, over all requests of the ensemble. Who finds no
 * place waits in order of arrival, without a thread. From any thread.
 */
final class StepLimiter {
  private final long limit;
  private final Set<StepRequest> waiting = new LinkedHashSet<>();
  private long underWay;
  private boolean handing;

  /**
   * @param limit 0 sets none
   */
  StepLimiter(long limit) {
    this.limit = limit;
  }

  /** Whether anybody ever waits. */
  boolean isLimited() {
    return limit != 0;
  }

  /**
   * Takes a place for a request; false if there is none yet: the request's ensemble then hears of
   * it by {@link RunEvent.Admitted}.
   */
  boolean admit(StepRequest request) {
    if (limit == 0) {
      return true;
    }
    synchronized (this) {
      if (underWay < limit) {
        underWay++;
        return true;
      }
      waiting.add(request);
      return false;
    }
  }

  /** Waits no longer; false if the request has got its place already. */
  synchronized boolean withdraw(StepRequest request) {
    return waiting.remove(request);
  }

  /**
   * Gives a place back, and hands it to the next that waits. Whoever gets it may end at once and
   * give it back in turn, so one caller hands out for all: the stack stays flat.
   */
  void release() {
    if (limit == 0) {
      return;
    }
    synchronized (this) {
      underWay--;
      if (handing) {
        return;
      }
      handing = true;
    }
    StepRequest next = next();
    while (next != null) {
      next.admitted();
      next = next();
    }
  }

  private synchronized @Nullable StepRequest next() {
    var first = waiting.iterator();
    if (underWay >= limit || !first.hasNext()) {
      handing = false;
      return null;
    }
    StepRequest next = first.next();
    first.remove();
    underWay++;
    return next;
  }
}
