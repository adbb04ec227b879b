package io.nereid.engine.model.control.lifecycle;

import io.nereid.error.InferenceException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** A call of the model manager on a thread of its own. */
final class Operation {
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Thread thread;

  private Operation(Runnable call) {
    thread =
        Thread.ofPlatform()
            .name("operation of a test")
            .start(() -> {
              try {
                call.run();
              } catch (Throwable failed) {
                failure.set(failed);
              }
            });
  }

  static Operation start(Runnable call) {
    return new Operation(call);
  }

  boolean isDone() {
    return !thread.isAlive();
  }

  /** Waits until the thread waits for another. */
  Operation awaitWaiting() {
    long deadline = System.nanoTime() + MAX_WAIT.toNanos();
    while (thread.getState() != Thread.State.WAITING) {
      if (isDone() || System.nanoTime() - deadline > 0) {
        throw new AssertionError("it does not wait: " + thread.getState(), failure.get());
      }
      Thread.onSpinWait();
    }
    return this;
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Waits until it has succeeded. */
  void join() {
    await();
    if (failure.get() != null) {
      throw new AssertionError("the operation failed", failure.get());
    }
  }

  /** Waits until it has failed. */
  InferenceException failure() {
    await();
    if (failure.get() instanceof InferenceException expected) {
      return expected;
    }
    throw new AssertionError("no failure as expected", failure.get());
  }

  private void await() {
    try {
      if (!thread.join(MAX_WAIT)) {
        var waits = new AssertionError("the operation does not end");
        waits.setStackTrace(thread.getStackTrace());
        throw waits;
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", stopped);
    }
  }
}
