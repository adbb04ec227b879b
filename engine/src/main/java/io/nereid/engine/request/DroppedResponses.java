package io.nereid.engine.request;

import io.nereid.error.InferenceException;
import java.util.function.Consumer;

/**
 * A receiver of responses that no client reads.
 *
 * @param onFailure told why the request has failed
 */
public record DroppedResponses(Consumer<InferenceException> onFailure) implements ResponseReceiver {
  @Override
  public void next(InferenceResponse response) {
    response.close();
  }

  @Override
  public void answer(InferenceResponse response) {
    response.close();
  }

  @Override
  public void complete() {}

  @Override
  public void fail(InferenceException failure) {
    onFailure.accept(failure);
  }
}
