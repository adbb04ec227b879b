package io.nereid.engine.request;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Calls of other code, which are made in the order in which they were added, one at a time. They
 * are added with a lock that keeps this order, and made without it, since what they call may wait
 * for that lock. Thread-safe.
 */
public final class Deliveries {
  private static final System.Logger LOG = System.getLogger(Deliveries.class.getName());

  private final Deque<Runnable> due = new ArrayDeque<>();
  private boolean passing;

  /** Adds a call; {@link #pass} follows. */
  public synchronized void add(Runnable call) {
    due.add(call);
  }

  /**
   * Makes the calls that are due, unless another thread is making calls: that one makes these, too.
   * Called without a lock.
   */
  public void pass() {
    for (Runnable next = next(); next != null; next = next()) {
      try {
        next.run();
      } catch (Throwable thrown) { // those behind it must be made all the same
        LOG.log(System.Logger.Level.ERROR, "a response was not delivered", thrown);
      } finally {
        synchronized (this) {
          passing = false;
        }
      }
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = passing ? null : due.poll();
    passing |= next != null;
    return next;
  }
}
