package io.nereid.engine.call;

/**
 * Code of a backend that runs on whichever thread has something to tell it, such as one that serves
 * many connections. It may not wait.
 */
public final class Callback {
  private static final ScopedValue<Boolean> RUNNING = ScopedValue.newInstance();

  private Callback() {}

  public static void run(Runnable action) {
    ScopedValue.where(RUNNING, true).run(action);
  }

  /**
   * Checks that this thread may wait.
   *
   * @param method that would wait
   */
  static void requireMayWait(String method) {
    if (RUNNING.isBound()) {
      throw new IllegalStateException(
          method
              + " waits: it may not be called by what completes a future, nor by an action on"
              + " cancellation");
    }
  }
}
