package io.nereid.server.codec;

import java.util.concurrent.locks.LockSupport;

/**
 * Pauses in work that takes milliseconds. Connections are virtual threads, which keep their
 * processor until they block: without pauses, as many large requests as there are processors hold
 * up all others.
 */
public final class LongWork {
  /**
   * After how many elements a thread pauses; they take about half a millisecond. A power of two.
   */
  private static final int ELEMENTS = 1 << 14;

  private LongWork() {}

  /** Pauses if {@code done} elements are a multiple of some thousands. */
  public static void pauseAfter(long done) {
    if ((done & (ELEMENTS - 1)) == 0) {
      pause();
    }
  }

  /**
   * Lets the virtual threads run that are ready. It parks, since {@link Thread#yield} does not
   * help: JDK 25 puts a thread that yields into the queue of its processor, which is emptied before
   * threads are taken that were woken elsewhere.
   */
  public static void pause() {
    if (Thread.currentThread().isVirtual()) {
      LockSupport.parkNanos(1);
    }
  }
}
