package io.nereid.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Failures that clients cause. */
public final class Failures {
  private Failures() {}

  /** Asserts how a call fails, and that the failure has cost no stack trace. */
  public static void assertRejected(StatusCode code, String message, ThrowingCallable call) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .satisfies(failure -> {
          assertThat(failure.getMessage()).isEqualTo(message);
          assertThat(failure.code()).isEqualTo(code);
          assertThat(failure.getStackTrace()).isEmpty();
        });
  }
}
