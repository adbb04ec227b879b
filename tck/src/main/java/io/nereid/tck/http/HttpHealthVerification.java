package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Live, ready, and ready models. */
public abstract class HttpHealthVerification extends HttpVerification {
  @ParameterizedTest
  @CsvSource({
    "HTTP-HEALTH-01,/v2/health/live",
    "HTTP-HEALTH-01,/v2/health/ready",
    "HTTP-HEALTH-02,/v2/models/simple/ready",
    "HTTP-HEALTH-02,/v2/models/simple/versions/1/ready",
    "HTTP-HEALTH-02,/v2/models/two_versions/versions/1/ready",
    "HTTP-HEALTH-02,/v2/models/two_versions/versions/3/ready"
  })
  @Rule
  void isLiveOrReadyWithAnEmptyBody(String rule, String target) {
    var response = get(target);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
    assertThat(response.header("Content-Length")).isEqualTo("0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v2/models/unknown/ready", "/v2/models/simple/versions/7/ready"})
  @Rule("HTTP-HEALTH-03")
  void saysThatAnUnknownModelOrVersionIsNotReady(String target) {
    rejected(get(target), "Model version not ready");
  }

  @Test
  @Rule("HTTP-HEALTH-04")
  void answersHealthBetweenInferencesOnOneConnection() {
    answersAGoodRequest();
    assertThat(get("/v2/health/ready").status()).isEqualTo(200);
    answersAGoodRequest();
    assertThat(wire().connections()).isEqualTo(1);
  }
}
