package io.nereid.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The future of one call. Whoever completes it first ends the call: if that is not the transport,
 * as when the caller cancels it or gives it a timeout, the transport is told.
 */
public final class Call<R> extends CompletableFuture<R> {
  private @Nullable Runnable abort;
  private boolean isOver;

  /** A call that nothing has been done for yet. */
  public Call() {
    onEnd(this, (result, failure) -> end(failure != null));
  }

  /** Acts once a future has its result or failure. */
  @SuppressWarnings("FutureReturnValueIgnored") // the action gets the failure
  public static <T extends @Nullable Object> void onEnd(
      CompletableFuture<T> future, BiConsumer<? super T, ? super @Nullable Throwable> action) {
    future.whenComplete(action);
  }

  /** States how the transport gives up; once the call has been given up, it does at once. */
  public void onAbort(Runnable action) {
    synchronized (this) {
      if (!isOver) {
        abort = action;
        return;
      }
    }
    if (isCompletedExceptionally()) {
      action.run();
    }
  }

  private void end(boolean failed) {
    Runnable action;
    synchronized (this) {
      isOver = true;
      action = abort;
      abort = null;
    }
    if (failed && action != null) {
      action.run();
    }
  }

  /** Dependent stages are plain futures: to cancel them does not cancel the call. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }
}
