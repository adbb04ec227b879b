package io.nereid.engine.scheduling;

import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that keeps the response and its position among all responses. */
final class PlacedOutcome implements ResponseReceiver {
  private final AtomicInteger answers;
  private final RecordedOutcome recorded = new RecordedOutcome();
  private volatile int place;

  /**
   * Creates a receiver.
   *
   * @param answers the counter of responses, shared by all receivers
   */
  PlacedOutcome(AtomicInteger answers) {
    this.answers = answers;
  }

  RecordedOutcome recorded() {
    return recorded;
  }

  /** The position, from 1 on; 0 without a response or a failure of the model. */
  int place() {
    return place;
  }

  @Override
  public void next(InferenceResponse response) {
    recorded.next(response);
  }

  @Override
  public void complete() {
    recorded.complete();
  }

  @Override
  public void answer(InferenceResponse response) {
    place = answers.incrementAndGet();
    recorded.answer(response);
  }

  @Override
  public void fail(InferenceException failure) {
    if (failure.code() == StatusCode.INTERNAL) {
      place = answers.incrementAndGet();
    }
    recorded.fail(failure);
  }
}
