package io.nereid.client.rest;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** How many calls may have a connection; others wait, in the order in which they came. */
final class ConnectionLimit {
  /**
   * Enough for models that take long, and a part of what servers let a client have. More make no
   * call faster that a few processors answer, and cost both sides memory.
   */
  static final int DEFAULT = 64;

  private final int max;

  /** Not empty only if all connections are in use: who returns one passes it on. */
  private final Set<BooleanSupplier> waiting = new LinkedHashSet<>();

  private int inUse;

  /** {@code max}: 0 for the default. */
  ConnectionLimit(int max) {
    this.max = max == 0 ? DEFAULT : max;
  }

  /** Takes a connection, if one is free; {@link #release} follows. */
  synchronized boolean tryAcquire() {
    if (inUse == max) {
      return false;
    }
    inUse++;
    return true;
  }

  /**
   * Starts a call, now or once another is over.
   *
   * @param start throws nothing; returns false if the call has ended already; if true, {@link
   *     #release} follows
   * @return whether it waits; {@link #forget} ends that
   */
  boolean acquire(BooleanSupplier start) {
    synchronized (this) {
      if (!tryAcquire()) {
        waiting.add(start);
        return true;
      }
    }
    if (!start.getAsBoolean()) {
      release();
    }
    return false;
  }

  /** A call that waits has ended. */
  synchronized void forget(BooleanSupplier start) {
    waiting.remove(start);
  }

  /** A call that was started is over. */
  void release() {
    BooleanSupplier next = next();
    while (next != null && !next.getAsBoolean()) {
      next = next();
    }
  }

  /** The call that gets the connection; null if none waits. */
  private synchronized @Nullable BooleanSupplier next() {
    if (waiting.isEmpty()) {
      inUse--;
      return null;
    }
    Iterator<BooleanSupplier> first = waiting.iterator();
    BooleanSupplier next = first.next();
    first.remove();
    return next;
  }

  /** How many calls wait. */
  synchronized int waiting() {
    return waiting.size();
  }
}
