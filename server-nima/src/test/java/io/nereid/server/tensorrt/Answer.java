package io.nereid.server.tensorrt;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What a request is answered with: one response, which its holder closes, or one failure. */
final class Answer implements ResponseReceiver {
  private static final long TIMEOUT_SECONDS = 60;

  private final CountDownLatch decided = new CountDownLatch(1);
  private final AtomicInteger outcomes = new AtomicInteger();
  private @Nullable InferenceResponse response;
  private @Nullable InferenceException failure;
  private Runnable cancel = () -> {};

  /** Sets what {@link #cancel} does. */
  void cancelWith(Runnable action) {
    cancel = action;
  }

  /** Cancels the request. */
  void cancel() {
    cancel.run();
  }

  @Override
  public void answer(InferenceResponse only) {
    response = only;
    decide();
  }

  @Override
  public void fail(InferenceException reason) {
    failure = reason;
    decide();
  }

  private void decide() {
    outcomes.incrementAndGet();
    decided.countDown();
  }

  /** Waits for the outcome. */
  Answer await() {
    try {
      if (!decided.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("a request is not answered");
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
    return this;
  }

  /** The number of outcomes, which must be 1. */
  int outcomes() {
    return outcomes.get();
  }

  /** The response; null if the request failed. After {@link #await}. */
  @Nullable InferenceResponse response() {
    return response;
  }

  /** The failure; null if the request succeeded. After {@link #await}. */
  @Nullable InferenceException failure() {
    return failure;
  }
}
