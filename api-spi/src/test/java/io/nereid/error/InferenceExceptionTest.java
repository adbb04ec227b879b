package io.nereid.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class InferenceExceptionTest {
  @Test
  void itsTextHasTheCode() {
    assertThat(InferenceException.invalid("model 'm' has no input 'x'"))
        .hasToString(
            "io.nereid.error.InferenceException: INVALID_ARGUMENT: model 'm' has no input 'x'");
  }

  @Test
  void theFailureOfAFutureIsWhatTheFutureWasCompletedWith() {
    var failure = InferenceException.unavailable("busy");

    assertThat(InferenceException.of(failure)).contains(failure);
    assertThat(InferenceException.of(new ExecutionException(failure))).contains(failure);
    assertThat(InferenceException.of(new CompletionException(failure))).contains(failure);
    assertThat(InferenceException.of(new ExecutionException(new CompletionException(failure))))
        .contains(failure);
  }

  @Test
  void whatElseIsThrownIsABug() {
    var failure = InferenceException.unavailable("busy");

    assertThat(InferenceException.of(new IllegalStateException(failure))).isEmpty();
    assertThat(InferenceException.of(new ExecutionException(new IllegalStateException(failure))))
        .isEmpty();
    assertThat(InferenceException.of(null)).isEmpty();
  }

  @Test
  void twentyFuturesWithinEachOtherAreLookedInto() {
    var failure = InferenceException.unavailable("busy");
    Throwable wrapped = failure;
    for (int depth = 0; depth < 20; depth++) {
      wrapped = new CompletionException(wrapped);
    }

    assertThat(InferenceException.of(wrapped)).contains(failure);
    assertThat(InferenceException.of(new CompletionException(wrapped))).isEmpty();
  }
}
