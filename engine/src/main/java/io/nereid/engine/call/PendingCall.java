package io.nereid.engine.call;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import io.nereid.spi.CallResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call with a single response. Its future is completed once both are there: the outcome, and the
 * end of the request, behind which the inputs are not read. Thread-safe.
 */
final class PendingCall implements ResponseReceiver, RunningCall {
  private final OpenCalls calls;
  private final CallTerms terms;

  /** Waits for the outcome, and may execute the call; null if none does. */
  private final @Nullable Thread waiter;

  private final ResponsePromise promise = new ResponsePromise(this);
  private final CompletableFuture<CallResponse> future = new CompletableFuture<>();

  /** Cancels the call at its timeout; null if it has none. */
  private @Nullable CompletableFuture<Boolean> timer;

  /** An {@link InferenceResponse} or an {@link InferenceException}; guarded by this. */
  private @Nullable Object outcome;

  private boolean inputsFree;

  PendingCall(OpenCalls calls, CallTerms terms, @Nullable Thread waiter) {
    this.calls = calls;
    this.terms = terms;
    this.waiter = waiter;
  }

  @Override
  public ResponsePromise promise() {
    return promise;
  }

  /** The outcome, for a caller that does not wait here. */
  CompletableFuture<CallResponse> future() {
    var _ =
        future.whenComplete((_, failed) -> {
          if (failed instanceof CancellationException) {
            cancel();
          }
        });
    if (terms.hasTimeout() && !future.isDone()) {
      var alarm = new CompletableFuture<Boolean>();
      var _ =
          alarm
              .orTimeout(Math.max(1, terms.leftNanos()), TimeUnit.NANOSECONDS)
              .exceptionally(_ -> {
                cancel();
                return false;
              });
      synchronized (this) {
        timer = alarm;
      }
      if (future.isDone()) {
        alarm.complete(true); // while it was set
      }
    }
    return future;
  }

  @Override
  public boolean isAwaitedHere() {
    return Thread.currentThread().equals(waiter);
  }

  @Override
  public void answer(InferenceResponse response) {
    ended(response, false);
  }

  @Override
  public void fail(InferenceException failure) {
    ended(failure, false);
  }

  @Override
  public void inputsFree() {
    ended(null, true);
  }

  private void ended(@Nullable Object decided, boolean free) {
    Object reached;
    synchronized (this) {
      outcome = decided == null ? outcome : decided;
      inputsFree |= free;
      reached = inputsFree ? outcome : null;
    }
    if (reached != null) {
      complete(reached);
    }
  }

  private void complete(Object reached) {
    CompletableFuture<Boolean> alarm;
    synchronized (this) {
      alarm = timer;
    }
    if (alarm != null) {
      alarm.complete(true);
    }
    if (reached instanceof InferenceResponse response) {
      CallResponse taken = calls.ended(this, response);
      deliver(() -> {
        if (!future.complete(taken)) {
          taken.close(); // the future was cancelled
        }
      });
    } else {
      calls.ended(this);
      InferenceException failure = terms.explain((InferenceException) reached);
      deliver(() -> future.completeExceptionally(failure));
    }
  }

  private void deliver(Runnable completion) {
    if (waiter == null) {
      Callback.run(completion); // runs what the backend has added to the future
    } else {
      completion.run();
    }
  }

  /**
   * Waits for the response; called by the waiter. An interrupt and the deadline cancel the call.
   */
  CallResponse await() {
    boolean timed = terms.hasDeadline();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return timed
              ? future.get(Math.max(0, terms.leftNanos()), TimeUnit.NANOSECONDS)
              : future.get();
        } catch (TimeoutException late) {
          timed = false;
          cancel();
        } catch (InterruptedException again) {
          interrupted = true;
          cancel();
        }
      }
    } catch (ExecutionException failed) {
      throw InferenceException.of(failed).orElseGet(() -> InferenceException.unexpected(failed));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
