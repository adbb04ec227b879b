package io.nereid.server.request;

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

/** A receiver that keeps what it gets, and counts how often it is called. */
public final class RecordedOutcome implements ResponseReceiver {
  private static final int PATIENCE_SECONDS = 30;

  private final CompletableFuture<InferenceResponse> outcome = new CompletableFuture<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile List<Long> computeNanos = List.of();
  private final List<InferenceResponse> earlier = new CopyOnWriteArrayList<>();

  @Override
  public void computed(long inputNanos, long inferNanos, long outputNanos) {
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
  public void fail(InferenceException failure) {
    calls.incrementAndGet();
    outcome.completeExceptionally(failure);
  }

  /** The responses that came before the outcome. */
  public List<InferenceResponse> earlier() {
    return earlier;
  }

  /** What the execution has taken, by phase; empty if nobody has said. */
  public List<Long> computeNanos() {
    return computeNanos;
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

  /** Waits for the outcome, whichever it is, and closes it if it is an answer. */
  public void awaitAndClose() {
    try {
      outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS).close();
    } catch (ExecutionException failed) {
      Objects.requireNonNull(failed.getCause(), "failed for no reason");
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
