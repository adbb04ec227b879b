package io.nereid.onnx.ort;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Cancels the opening of a session once the thread that made this is interrupted, or all openings
 * are cancelled: as soon as ONNX Runtime looks, which it does between its steps.
 */
final class LoadWatch implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final Thread opening = Thread.currentThread();
  private final OrtSessionOptions options;
  private final BooleanSupplier cancelled;
  private final Thread watching;
  private boolean closed;

  /**
   * @param options of the session, open until this is closed
   * @param cancelled whether all openings are cancelled
   */
  LoadWatch(OrtSessionOptions options, BooleanSupplier cancelled) {
    this.options = options;
    this.cancelled = cancelled;
    this.watching = Thread.ofVirtual().name("onnx load watch").start(this::watch);
  }

  private void watch() {
    try {
      while (!cancelIfWanted()) {
        Thread.sleep(INTERVAL);
      }
    } catch (InterruptedException ended) {
      // the session is open
    }
  }

  private synchronized boolean cancelIfWanted() {
    boolean isWanted = !closed && (opening.isInterrupted() || cancelled.getAsBoolean());
    if (isWanted) {
      options.cancelLoad();
    }
    return isWanted || closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
    watching.interrupt();
  }
}
