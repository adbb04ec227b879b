package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import org.junit.jupiter.params.provider.ValueSource;

/** Live, ready, and ready models. */
public abstract class HttpHealthVerification extends HttpVerification {
  @RuleTable(
      """
      HTTP-HEALTH-01 | /v2/health/live
      HTTP-HEALTH-01 | /v2/health/ready
      HTTP-HEALTH-02 | /v2/models/simple/ready
      HTTP-HEALTH-02 | /v2/models/simple/versions/1/ready
      HTTP-HEALTH-02 | /v2/models/two_versions/versions/1/ready
      HTTP-HEALTH-02 | /v2/models/two_versions/versions/3/ready
      """)
  void isLiveOrReadyWithAnEmptyBody(String target) {
    var response = get(target);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.text()).isEqualTo("");
    assertThat(response.header("Content-Length")).isEqualTo("0");
  }

  @RuleCases("HTTP-HEALTH-03")
  @ValueSource(strings = {"/v2/models/unknown/ready", "/v2/models/simple/versions/7/ready"})
  void saysThatAnUnknownModelOrVersionIsNotReady(String target) {
    rejected(get(target), "Model version not ready");
  }

  @Rule("HTTP-HEALTH-04")
  void answersHealthBetweenInferencesOnOneConnection() {
    answersAGoodRequest();
    assertThat(get("/v2/health/ready").status()).isEqualTo(200);
    answersAGoodRequest();
    assertThat(wire().connections()).isEqualTo(1);
  }
}
