package io.nereid.server.http.connection;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Bodies up to {@link #BYTES} that may be read at once without turns. */
  static final int FREE_BODIES = 16 * PROCESSORS;

  /** Fewer than there are carriers, if there is more than one. */
  private static final int MOST = Math.max(1, PROCESSORS - 1);

  /**
   * How long a thread gives way. A single processor runs the timer that ends a shorter time before
   * the carrier has looked into other queues.
   */
  private static final long PAUSE_NANOS = PROCESSORS == 1 ? 50_000 : 1;

  private static final Semaphore TURNS = new Semaphore(MOST, true);

  /** Bodies above {@link #FIRST_BYTES} that are being read. */
  private static final AtomicInteger BODIES = new AtomicInteger();

  /** Held by threads that are ready, but do not run yet. */
  private static final Semaphore READY = new Semaphore(MOST, true);

  private Turn() {}

  /**
   * Begins to read a body; {@link #endBody} follows.
   *
   * @param bodySize its size as far as it is known, else {@code Long.MAX_VALUE}
   * @return whether it is a large one, and counted
   */
  static boolean beginBody(long bodySize) {
    boolean isLarge = bodySize > FIRST_BYTES;
    if (isLarge) {
      BODIES.incrementAndGet();
    }
    return isLarge;
  }

  /** Ends the read of a body that was counted, whether all of it has come or not. */
  static void endBody() {
    BODIES.decrementAndGet();
  }

  /** Whether a part of a body is to be read in a turn: it is large, or one of many. */
  static boolean isNeeded(long bodySize) {
    return bodySize > BYTES || (bodySize > FIRST_BYTES && BODIES.get() > FREE_BODIES);
  }

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
      if (PROCESSORS == 1) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
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
