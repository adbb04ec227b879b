package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;

/** A limit of how many responses wait to be taken. Called under the lock of the responses. */
public final class WaitingLimit implements AwaitedResponses.Waiting {
  private final int most;
  private int count;

  public WaitingLimit(int most) {
    this.most = most;
  }

  @Override
  public void add(InferenceResponse response) {
    if (count == most) {
      throw new InferenceException(
          StatusCode.RESOURCE_EXHAUSTED,
          "%d responses of model '%s' wait to be taken".formatted(count, response.model().name()));
    }
    count++;
  }

  @Override
  public void remove(InferenceResponse response) {
    count--;
  }
}
