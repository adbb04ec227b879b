package io.nereid.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call to its end: sent, and sent again as far as {@link RetryPolicy} say. */
final class Attempts<R extends @Nullable Object> {
  private final RetryPolicy retries;
  private final boolean mayRunTwice;
  private final CallContext context;
  private final Function<CallContext, Call<R>> transport;
  private final Call<R> result = new Call<>();
  private int attempts;

  /** Whether one of the attempts may have had the request executed. */
  private boolean mayHaveRun;

  private Attempts(
      RetryPolicy retries,
      boolean mayRunTwice,
      CallContext context,
      Function<CallContext, Call<R>> transport) {
    this.retries = retries;
    this.mayRunTwice = mayRunTwice;
    this.context = context;
    this.transport = transport;
  }

  /** Makes a call without waiting for it. */
  static <R extends @Nullable Object> CompletableFuture<R> start(
      RetryPolicy retries,
      boolean mayRunTwice,
      CallContext context,
      Function<CallContext, Call<R>> transport) {
    Attempts<R> call = new Attempts<>(retries, mayRunTwice, context, transport);
    call.send();
    return call.result;
  }

  /** Makes a call in this thread. */
  static <R> R run(
      RetryPolicy retries,
      boolean mayRunTwice,
      CallContext context,
      Function<CallContext, R> transport) {
    boolean mayHaveRun = false;
    for (int attempts = 1; ; attempts++) {
      try {
        return transport.apply(context);
      } catch (NereidException last) {
        mayHaveRun |= last.mayHaveRun();
        NereidException failure = mayHaveRun ? last.afterOneThatMayHaveRun() : last;
        long nanos = retries.nanosBefore(last, attempts, mayRunTwice, context.nanosLeft());
        if (nanos < 0) {
          throw failure;
        }
        try {
          NANOSECONDS.sleep(nanos);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw failure;
        }
      }
    }
  }

  private void send() {
    if (result.isDone()) {
      return;
    }
    attempts++;
    Call<R> sent = transport.apply(context);
    result.onAbort(() -> sent.cancel(true));
    Call.onEnd(
        sent,
        (value, failure) -> {
          if (failure == null) {
            result.complete(value);
          } else {
            result.guard(() -> failed(failure));
          }
        });
  }

  private void failed(Throwable failure) {
    if (!(failure instanceof NereidException last)) {
      result.completeExceptionally(failure);
      return;
    }
    mayHaveRun |= last.mayHaveRun();
    long nanos = retries.nanosBefore(last, attempts, mayRunTwice, context.nanosLeft());
    if (nanos < 0) {
      result.completeExceptionally(mayHaveRun ? last.afterOneThatMayHaveRun() : last);
    } else {
      CompletableFuture.delayedExecutor(nanos, NANOSECONDS).execute(() -> result.guard(this::send));
    }
  }
}
