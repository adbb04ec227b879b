package io.nereid.engine.scheduling.ensemble;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a step under {@code max_inflight_requests}, shared by all requests of the
 * ensemble. Requests without a permit wait in order of arrival and block no thread. May be used by
 * any thread.
 */
final class StepLimiter {
  private final long limit;
  private final Set<StepRequest> waiting = new LinkedHashSet<>();
  private long acquired;
  private boolean releasing;

  /**
   * @param limit 0 sets none
   */
  StepLimiter(long limit) {
    this.limit = limit;
  }

  /** Whether a request ever waits. */
  boolean isLimited() {
    return limit != 0;
  }

  /**
   * Acquires a permit for a request. Otherwise returns false, and the request gets the permit later
   * by {@link StepRequest#admitted}.
   */
  boolean acquire(StepRequest request) {
    if (limit == 0) {
      return true;
    }
    synchronized (this) {
      if (acquired < limit) {
        acquired++;
        return true;
      }
      waiting.add(request);
      return false;
    }
  }

  /** Removes a waiting request; false if it has got its permit already. */
  synchronized boolean withdraw(StepRequest request) {
    return waiting.remove(request);
  }

  /**
   * Releases a permit and passes it to the next request that waits. That request may end at once
   * and release the permit again, so one caller passes on all permits: the stack does not grow.
   */
  void release() {
    if (limit == 0) {
      return;
    }
    synchronized (this) {
      acquired--;
      if (releasing) {
        return;
      }
      releasing = true;
    }
    StepRequest next = next();
    while (next != null) {
      next.admitted();
      next = next();
    }
  }

  private synchronized @Nullable StepRequest next() {
    var first = waiting.iterator();
    if (acquired >= limit || !first.hasNext()) {
      releasing = false;
      return null;
    }
    StepRequest next = first.next();
    first.remove();
    acquired++;
    return next;
  }
}
