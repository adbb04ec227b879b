package io.nereid.client;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call to its end: shown to the interceptors, sent, and sent again as far as {@link
 * RetryPolicy} says.
 */
final class Attempts {
  private final Caller caller;
  private final RetryPolicy retries;
  private final String operation;
  private final String model;
  private final boolean mayRunTwice;
  private final CallContext context;

  /** How many there were. This and all below: one attempt after the other changes them. */
  private int count;

  /** Whether one of the attempts may have had the request executed. */
  private boolean mayHaveRun;

  /** What interceptors see of the present attempt; null without them. */
  private @Nullable OutgoingCall shown;

  /**
   * A call that is not sent.
   *
   * @param operation what the call is, by the name of the transport's method
   * @param model empty if it concerns none
   */
  Attempts(
      Caller caller,
      RetryPolicy retries,
      String operation,
      String model,
      boolean mayRunTwice,
      CallContext context) {
    this.caller = caller;
    this.retries = retries;
    this.operation = operation;
    this.model = model;
    this.mayRunTwice = mayRunTwice;
    this.context = context;
  }

  /** Makes the call without waiting for it. */
  <R extends @Nullable Object> Call<R> start(Function<CallContext, Call<R>> transport) {
    Call<R> result = new Call<>();
    send(result, transport);
    return result;
  }

  /** Makes the call in this thread. */
  <R> R run(Function<CallContext, R> transport) {
    while (true) {
      try {
        R result = transport.apply(next());
        ended(null);
        return result;
      } catch (NereidException last) {
        ended(last);
        long nanos = nanosBeforeNext(last);
        if (nanos < 0) {
          throw failure(last);
        }
        try {
          NANOSECONDS.sleep(nanos);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          throw failure(last);
        }
      } catch (RuntimeException | Error thrown) {
        ended(thrown);
        throw thrown;
      }
    }
  }

  private <R extends @Nullable Object> void send(
      Call<R> result, Function<CallContext, Call<R>> transport) {
    if (result.isDone()) {
      return;
    }
    Call<R> sent;
    try {
      sent = transport.apply(next());
    } catch (NereidException refusal) {
      sent = Call.failed(refusal);
    } catch (RuntimeException | Error thrown) {
      ended(thrown);
      throw thrown;
    }
    Call<R> attempt = sent;
    result.onAbort(() -> attempt.cancel(true));
    Call.onEnd(
        attempt,
        (value, failure) -> {
          ended(failure);
          if (failure == null) {
            result.complete(value);
          } else {
            result.guard(() -> failed(failure, result, transport));
          }
        });
  }

  private <R extends @Nullable Object> void failed(
      Throwable failure, Call<R> result, Function<CallContext, Call<R>> transport) {
    if (!(failure instanceof NereidException last)) {
      result.completeExceptionally(failure);
      return;
    }
    long nanos = nanosBeforeNext(last);
    if (nanos < 0) {
      result.completeExceptionally(failure(last));
    } else {
      CompletableFuture.delayedExecutor(nanos, NANOSECONDS)
          .execute(() -> result.guard(() -> send(result, transport)));
    }
  }

  /**
   * Begins the next attempt.
   *
   * @return what the transport must know of it
   * @throws NereidException if an interceptor refuses it
   */
  private CallContext next() {
    count++;
    if (caller.interceptors().isEmpty()) {
      return context;
    }
    OutgoingCall next =
        new OutgoingCall(operation, model, caller.transport().address(), context.headers(), shown);
    shown = next;
    return next.begin(caller.interceptors(), context);
  }

  private void ended(@Nullable Throwable failure) {
    if (shown != null) {
      shown.end(failure);
    }
  }

  /** How long to wait before the next attempt; -1 if there is none. */
  private long nanosBeforeNext(NereidException last) {
    mayHaveRun |= last.mayHaveRun();
    boolean isRefused = shown != null && shown.isRefused();
    return isRefused ? -1 : retries.nanosBefore(last, count, mayRunTwice, context.nanosLeft());
  }

  private NereidException failure(NereidException last) {
    return mayHaveRun ? last.afterOneThatMayHaveRun() : last;
  }
}
