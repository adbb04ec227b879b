package io.nereid.server.http.connection;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * The turn of a connection that has much to do. A virtual thread keeps its carrier until it blocks,
 * and a carrier takes ready threads from one queue as long as that has any, so the connections of a
 * few fast clients could keep all carriers from the others. One carrier is left to these.
 */
final class Turn {
  /** The most that is moved in a turn: a copy that takes about half a millisecond. */
  static final int BYTES = 1 << 20;

  /** The most that is moved without a turn, by a connection that has more. */
  static final int FIRST_BYTES = 64 << 10;

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  /** Fewer than there are carriers, if there is more than one. */
  private static final int MOST = Math.max(1, PROCESSORS - 1);

  /**
   * How long a thread gives way. A single processor runs the timer that ends a shorter time before
   * the carrier has looked into other queues.
   */
  private static final long PAUSE_NANOS = PROCESSORS == 1 ? 50_000 : 1;

  private static final Semaphore TURNS = new Semaphore(MOST, true);

  /** Held by threads that are ready, but do not run yet. */
  private static final Semaphore READY = new Semaphore(MOST, true);

  private Turn() {}

  /** What is done in a turn, without waiting for a client. */
  interface Work {
    int run() throws IOException;
  }

  /** Waits for a turn, takes it, and lets others have one. */
  static int take(Work work) throws IOException {
    TURNS.acquireUninterruptibly();
    try {
      return work.run();
    } finally {
      TURNS.release();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /**
   * Waits for a turn that needs no end, since the thread may wait for a client in it. Only the
   * number of threads that are ready for theirs is bounded, so the queue they are in gets empty
   * again and again, and carriers look into the others.
   */
  static void await() {
    READY.acquireUninterruptibly();
    try {
      LockSupport.parkNanos(PAUSE_NANOS);
    } finally {
      READY.release();
    }
  }

  /** Lets other threads run that are ready. */
  static void pass() {
    // Not yield: a carrier runs the threads that yield before those that have input.
    LockSupport.parkNanos(1);
  }
}
