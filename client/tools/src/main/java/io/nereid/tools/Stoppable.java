package io.nereid.tools;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A part of a program that ends early if the process is asked to end (Ctrl-C, SIGTERM): its thread
 * is interrupted, and the process lives until it is closed, for a few seconds at most.
 */
final class Stoppable implements AutoCloseable {
  private static final long GRACE_SECONDS = 10;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;

  private Stoppable(Thread running) {
    hook = new Thread(() -> stop(running), "stop");
  }

  /** Begins one, which the same thread closes. */
  static Stoppable begin() {
    Stoppable begun = new Stoppable(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(begun.hook);
    return begun;
  }

  private void stop(Thread running) {
    running.interrupt();
    try {
      var _ = closed.await(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the process ends
    }
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // the process ends
    }
  }
}
