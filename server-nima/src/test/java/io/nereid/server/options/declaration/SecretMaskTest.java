package io.nereid.server.options.declaration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of the value of an option is shown. */
class SecretMaskTest {
  @Test
  void whatFollowsTheSignOfASecretOptionIsHidden() {
    assertThat(SecretMask.masked("inference,health:x-api=a=b", true))
        .isEqualTo("inference,health:x-api=***");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis,password=a=b|redis,password=***",
        "opentelemetry,headers=authorization=Bearer x|opentelemetry,headers=***",
        "front,API_KEY=x|front,API_KEY=***",
        "opentelemetry,url=https://u:p@host/v1|opentelemetry,url=https://***@host/v1",
        "redis,url=redis://u@host?token=x|redis,url=redis://***@host?token=***"
      })
  void whatMayBeASecretIsHidden(String value, String shown) {
    assertThat(SecretMask.masked(value, false)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x-api-key", "/keys/server.pem", "local,size=1048576", "s3://bucket/models@2"})
  void anythingElseIsShown(String value) {
    assertThat(SecretMask.masked(value, false)).isEqualTo(value);
  }
}
