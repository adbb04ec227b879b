package io.nereid.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The future of one call, which ends when it is completed. If that is not done by the transport,
 * but by a caller that cancels it or by a timeout, the transport is told.
 */
public final class Call<R extends @Nullable Object> extends CompletableFuture<R> {
  private @Nullable Runnable abort;
  private boolean isOver;

  /** The call of which this is the one for its caller; null if this is a call itself. */
  private @Nullable Call<R> origin;

  /** A call that nothing has been done for yet. */
  public Call() {
    onEnd(this, (result, failure) -> end(failure != null));
  }

  /** A call that has failed before it was sent. */
  public static <R extends @Nullable Object> Call<R> failed(NereidException failure) {
    Call<R> call = new Call<>();
    call.completeExceptionally(failure);
    return call;
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

  /**
   * A call with a result made of this one's; to give it up gives this one up.
   *
   * @param asked what is asked for and where, by its {@code toString}, for the failure if the
   *     result cannot be made
   * @param reading throws a {@link NereidException}, or anything else if that cannot be
   */
  public <S extends @Nullable Object> Call<S> map(
      Object asked, Function<? super R, ? extends S> reading) {
    Call<S> mapped = new Call<>();
    mapped.onAbort(() -> cancel(true));
    onEnd(
        this,
        (result, failure) -> {
          if (failure == null) {
            mapped.guard(() -> mapped.complete(read(asked::toString, reading, result)));
          } else {
            mapped.completeExceptionally(failure);
          }
        });
    return mapped;
  }

  /** The same call, whose continuations run on an executor; where it rejects them, at once. */
  Call<R> completedBy(Executor executor) {
    Call<R> handed = new Call<>();
    handed.origin = this;
    handed.onAbort(() -> cancel(true));
    onEnd(
        this,
        (result, failure) -> {
          Runnable completion =
              failure == null
                  ? () -> handed.complete(result)
                  : () -> handed.completeExceptionally(failure);
          handed.guard(() -> {
            try {
              executor.execute(completion);
            } catch (RejectedExecutionException isFullOrClosed) {
              completion.run();
            }
          });
        });
    return handed;
  }

  /** The call that this is made of by {@link #completedBy}, or this. */
  Call<R> origin() {
    return origin == null ? this : origin;
  }

  /**
   * A result made of a response.
   *
   * @throws NereidException BAD_RESPONSE in place of any other exception
   */
  public static <R extends @Nullable Object, S extends @Nullable Object> S read(
      Supplier<String> asked, Function<? super R, ? extends S> reading, R result) {
    try {
      return reading.apply(result);
    } catch (NereidException e) {
      throw e;
    } catch (RuntimeException e) {
      throw NereidException.badResponse(
          asked.get(), "the response cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Runs what completes this call, now or later. Whatever it throws is the call's failure: a future
   * would keep that in a stage that no caller reads, and the call would never end.
   */
  public void guard(Runnable action) {
    try {
      action.run();
    } catch (Throwable thrown) {
      completeExceptionally(thrown);
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
