package io.nereid.server.http.connection;

import java.util.concurrent.locks.LockSupport;

/**
 * The end of a connection's turn on its processor. A virtual thread keeps its carrier until it
 * blocks, so one whose client sends or reads fast gives it up by itself.
 */
final class Turn {
  /** Bytes that are moved in a turn: about half a millisecond. */
  static final int BYTES = 1 << 20;

  private Turn() {}

  /** Lets other virtual threads run that are ready. */
  static void end() {
    // Not yield: a carrier runs the threads that yield before those that have input.
    LockSupport.parkNanos(1);
  }
}
