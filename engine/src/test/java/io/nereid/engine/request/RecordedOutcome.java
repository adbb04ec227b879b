package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that records its responses and outcome. */
public final class RecordedOutcome implements ResponseReceiver {
  private static final int MAX_WAIT_SECONDS = 30;

  private final CompletableFuture<InferenceResponse> outcome = new CompletableFuture<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean rejected;
  private volatile List<Long> computeNanos = List.of();
  private final List<InferenceResponse> earlier = new CopyOnWriteArrayList<>();

  @Override
  public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
    computeNanos = List.of(inputNanos, inferNanos, outputNanos);
  }

  @Override
  public void next(InferenceResponse response) {
    earlier.add(response);
  }

  @Override
  public void complete() {
    calls.incrementAndGet();
    outcome.completeExceptionally(new NoSuchElementException("no last response"));
  }

  @Override
  public void answer(InferenceResponse response) {
    calls.incrementAndGet();
    outcome.complete(response);
  }

  @Override
  public void reject(InferenceException reason) {
    rejected = true;
    fail(reason);
  }

  @Override
  public void fail(InferenceException failure) {
    calls.incrementAndGet();
    outcome.completeExceptionally(failure);
  }

  /** Whether the request was rejected before it was queued. */
  public boolean isRejected() {
    return rejected;
  }

  /** The responses before the outcome. */
  public List<InferenceResponse> earlier() {
    return earlier;
  }

  /** The times of the execution, by phase; empty if it was not executed. */
  public List<Long> computeNanos() {
    return computeNanos;
  }

  /** The number of outcomes. */
  public int calls() {
    return calls.get();
  }

  /** Waits for the response; fails if the request does. */
  public InferenceResponse response() {
    try {
      return outcome.get(MAX_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw new AssertionError("a failure, not a response", failed.getCause());
    } catch (InterruptedException | TimeoutException missing) {
      throw new AssertionError("no outcome", missing);
    }
  }

  /** Waits for the outcome and closes a response. */
  public void awaitAndClose() {
    try {
      outcome.get(MAX_WAIT_SECONDS, TimeUnit.SECONDS).close();
    } catch (ExecutionException failed) {
      Objects.requireNonNull(failed.getCause(), "failed for no reason");
    } catch (InterruptedException | TimeoutException missing) {
      throw new AssertionError("no outcome", missing);
    }
  }

  /** Waits for the failure. */
  public InferenceException failure() {
    try {
      throw new AssertionError(
          "no failure but a response of "
              + outcome.get(MAX_WAIT_SECONDS, TimeUnit.SECONDS).model());
    } catch (ExecutionException failed) {
      return (InferenceException) Objects.requireNonNull(failed.getCause());
    } catch (InterruptedException | TimeoutException missing) {
      throw new AssertionError("no outcome", missing);
    }
  }
}
