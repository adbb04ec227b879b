package io.nereid.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InferenceExceptionTest {
  @Test
  void itsTextHasTheCode() {
    assertThat(InferenceException.invalid("model 'm' has no input 'x'"))
        .hasToString(
            "io.nereid.error.InferenceException: INVALID_ARGUMENT: model 'm' has no input 'x'");
  }
}
