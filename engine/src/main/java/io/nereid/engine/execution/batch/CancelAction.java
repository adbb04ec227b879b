package io.nereid.engine.execution.batch;

import io.nereid.engine.call.Callback;
import io.nereid.engine.thread.Uninterrupted;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a backend has run when all requests of a batch are cancelled. It runs once, by a thread that
 * holds no lock, and does not run behind the end. Reused for each batch of an instance.
 * Thread-safe.
 */
final class CancelAction {
  private static final System.Logger LOG = System.getLogger(CancelAction.class.getName());

  private final BooleanSupplier allDecided;
  private @Nullable Runnable action;
  private boolean ended = true;
  private boolean running;

  /**
   * @param allDecided whether all requests of the present batch have their outcomes; not asked
   *     between two batches
   */
  CancelAction(BooleanSupplier allDecided) {
    this.allDecided = allDecided;
  }

  synchronized void begin() {
    ended = false;
  }

  /** Sets the action of this batch; {@link #runIfCancelled} follows. */
  synchronized void set(Runnable newAction) {
    if (action != null) {
      throw new IllegalStateException("a batch takes one action on cancellation");
    }
    action = newAction;
  }

  /** Whether all requests are cancelled, or the batch has ended. */
  synchronized boolean isCancelled() {
    return ended || allDecided.getAsBoolean();
  }

  /** Runs the action, if there is one, unless it has run or is not to. */
  void runIfCancelled() {
    Runnable due;
    synchronized (this) {
      due = action;
      if (due == null || ended || !allDecided.getAsBoolean()) {
        return;
      }
      ended = true;
      running = true;
    }
    try {
      Callback.run(due);
    } catch (Throwable thrown) { // of a backend; the thread that cancels has more to do
      LOG.log(System.Logger.Level.ERROR, "an action on cancellation failed", thrown);
    } finally {
      synchronized (this) {
        running = false;
        notifyAll();
      }
    }
  }

  /** The batch ends: the action does not begin any more, and one that runs is waited for. */
  synchronized void end() {
    ended = true;
    action = null;
    Uninterrupted.until(() -> !running, this::wait); // the backend may free what the action uses
  }
}
