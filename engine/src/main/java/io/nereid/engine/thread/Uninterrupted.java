package io.nereid.engine.thread;

import java.util.function.BooleanSupplier;

/** Waits that an interrupt does not end: the thread is interrupted behind them. */
public final class Uninterrupted {
  /** A part of a wait, such as {@link Object#wait()} of a monitor that the thread holds. */
  @FunctionalInterface
  public interface Wait {
    void await() throws InterruptedException;
  }

  private Uninterrupted() {}

  /** Waits again and again until a condition is true. */
  public static void until(BooleanSupplier condition, Wait wait) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      try {
        wait.await();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
