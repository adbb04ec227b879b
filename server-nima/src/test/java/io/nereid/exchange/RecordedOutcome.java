package io.nereid.exchange;

import io.nereid.error.InferenceException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that keeps what it gets, and counts how often it is called. */
public final class RecordedOutcome implements ResponseReceiver {
  private static final int PATIENCE_SECONDS = 30;

  private final CompletableFuture<InferenceResponse> outcome = new CompletableFuture<>();
  private final AtomicInteger calls = new AtomicInteger();

  @Override
  public void answer(InferenceResponse response) {
    calls.incrementAndGet();
    outcome.complete(response);
  }

  @Override
  public void fail(InferenceException failure) {
    calls.incrementAndGet();
    outcome.completeExceptionally(failure);
  }

  /** How often an outcome came. */
  public int calls() {
    return calls.get();
  }

  /** Waits for the answer; a failure is thrown. */
  public InferenceResponse response() {
    try {
      return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw new AssertionError("no answer but a failure", failed.getCause());
    } catch (InterruptedException | TimeoutException missing) {
      throw new AssertionError("no outcome", missing);
    }
  }

  /** Waits for the failure; an answer is none. */
  public InferenceException failure() {
    try {
      throw new AssertionError("no failure but " + outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException failed) {
      return (InferenceException) Objects.requireNonNull(failed.getCause());
    } catch (InterruptedException | TimeoutException missing) {
      throw new AssertionError("no outcome", missing);
    }
  }
}
