package io.nereid.client.rest;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/** How many calls may have a connection; others wait, in the order in which they came. */
final class ConnectionLimit {
  private final int max;
  private final Queue<BooleanSupplier> waiting = new ArrayDeque<>();
  private int inUse;

  /** {@code max}: 0 for no limit. */
  ConnectionLimit(int max) {
    this.max = max;
  }

  /**
   * Starts a call, now or once another is over.
   *
   * @param start returns false if the call has ended while it waited; if true, {@link #release}
   *     follows
   */
  void acquire(BooleanSupplier start) {
    synchronized (this) {
      if (max > 0 && inUse == max) {
        waiting.add(start);
        return;
      }
      inUse++;
    }
    if (!start.getAsBoolean()) {
      release();
    }
  }

  /** A call that was started is over. */
  void release() {
    while (true) {
      BooleanSupplier next;
      synchronized (this) {
        next = waiting.poll();
        if (next == null) {
          inUse--;
          return;
        }
      }
      if (next.getAsBoolean()) {
        return;
      }
    }
  }
}
