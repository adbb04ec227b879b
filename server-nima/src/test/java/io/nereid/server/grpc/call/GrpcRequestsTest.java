package io.nereid.server.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions as clients write them. Source: Triton, src/common.cc (GetModelVersionFromString). */
class GrpcRequestsTest {
  @Test
  void noVersionIsTheNewest() {
    assertThat(GrpcRequests.version("")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "0,0",
        "1,1",
        "+7,7",
        "1a,1",
        "\" 1\",1",
        "\"1 2\",1",
        "007,7",
        "1.9,1",
        "\"\t3\",3"
      })
  void leadingDigitsAreTheVersion(String text, long version) {
    assertThat(GrpcRequests.version(text)).hasValue(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a1", " ", "v1", "+", "-", "9223372036854775808", "9223372036854775808x"})
  void whatIsNoNumberIsRejected(String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> GrpcRequests.version(text))
        .withMessage(
            "failed to get model version from specified version string '%s' (details: stol),"
                + " version should be an integral value > 0",
            text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", " -2x"})
  void aNegativeNumberIsRejected(String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> GrpcRequests.version(text))
        .withMessage(
            "invalid model version specified '%s' , version should be an integral value > 0", text);
  }
}
