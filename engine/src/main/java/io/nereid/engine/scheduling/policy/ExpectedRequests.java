package io.nereid.engine.scheduling.policy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The requests whose heads have come and were not refused, until they arrive. Without them all
 * heads would find the same short queue while the inputs are under way, and the inputs would
 * compete for the connections until all of them come too late. A client may never send the inputs;
 * so a request is expected for {@link #NANOS} at most, and delays only others whose inputs have not
 * come either.
 */
final class ExpectedRequests {
  /** How long a request is expected. */
  static final long NANOS = 100_000_000;

  /** When the heads came, in that order. */
  private final Deque<Long> heads = new ArrayDeque<>();

  void add(long now) {
    heads.addLast(now);
  }

  /** One of them has arrived. */
  void arrived() {
    heads.pollFirst();
  }

  int count(long now) {
    for (Long first = heads.peekFirst(); first != null; first = heads.peekFirst()) {
      if (now - first <= NANOS) {
        break;
      }
      heads.removeFirst();
    }
    return heads.size();
  }
}
