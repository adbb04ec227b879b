package io.nereid.server.http.connection;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * The turn of a connection that has much to do. A virtual thread keeps its carrier until it blocks,
 * and a carrier takes waiting threads from one queue as long as that has any, so the connections of
 * a few fast clients could keep all carriers from the others. One carrier is left to these.
 */
final class Turn {
  /** The most that is read in a turn: a copy that takes about half a millisecond. */
  static final int BYTES = 1 << 20;

  private static final Semaphore TURNS =
      new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() - 1), true);

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
      pass();
    }
  }

  /** Lets other threads run that are ready. */
  static void pass() {
    // Not yield: a carrier runs the threads that yield before those that have input.
    LockSupport.parkNanos(1);
  }
}
