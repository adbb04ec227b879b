package io.nereid.tck.execution;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether a batch is cancelled, and the action on that, which runs as in the server: once, without
 * a lock, and not after the execution. Thread-safe.
 */
final class CancelAction {
  private @Nullable Runnable action;
  private boolean cancelled;
  private boolean ended;

  /** Whether the action has begun, and whether it runs now. */
  private boolean acted;

  private boolean acting;
  private Duration longest = Duration.ZERO;

  synchronized boolean isCancelled() {
    return cancelled;
  }

  void cancel() {
    synchronized (this) {
      cancelled = true;
    }
    act();
  }

  void set(Runnable onCancel) {
    synchronized (this) {
      if (action != null) {
        throw new IllegalStateException("a batch takes one action on cancellation");
      }
      action = onCancel;
    }
    act();
  }

  private void act() {
    Runnable due;
    synchronized (this) {
      due = action;
      if (!cancelled || ended || acted || due == null) {
        return;
      }
      acted = true;
      acting = true;
    }
    try {
      run(due);
    } finally {
      synchronized (this) {
        acting = false;
        notifyAll();
      }
    }
  }

  /** Runs an action, of the batch or of a detached request. */
  void run(Runnable due) {
    long start = System.nanoTime();
    try {
      due.run();
    } finally {
      var took = Duration.ofNanos(System.nanoTime() - start);
      synchronized (this) {
        longest = took.compareTo(longest) > 0 ? took : longest;
      }
    }
  }

  /** The longest time that an action took. */
  synchronized Duration longest() {
    return longest;
  }

  /** Ends the execution: the action does not begin any more; one that runs ends. */
  synchronized void end() {
    ended = true;
    try {
      while (acting) {
        wait();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
