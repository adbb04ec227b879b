package io.nereid.benchmarks.micro;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import java.util.concurrent.atomic.AtomicLong;

/** A counter of responses. The instance's thread is the only writer. */
final class ResponseCounter implements ResponseReceiver {
  private final AtomicLong count = new AtomicLong();

  @Override
  public void answer(InferenceResponse response) {
    response.close();
    count.setRelease(count.getPlain() + 1);
  }

  @Override
  public void next(InferenceResponse response) {
    throw new AssertionError("the model is not decoupled");
  }

  @Override
  public void complete() {
    throw new AssertionError("the model is not decoupled");
  }

  @Override
  public void fail(InferenceException failure) {
    throw new AssertionError(failure);
  }

  /** The number of responses so far. From any thread. */
  long count() {
    return count.get();
  }
}
