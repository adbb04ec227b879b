package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitTimesTest {
  @ParameterizedTest
  @CsvSource({"0,0,500", "1,200,600", "3,2200,2600", "5,4000,4500", "30,29000,29500"})
  void requestsEndBeforeTheProcessAndThatBeforeTheTimeout(
      int seconds, long requestsMillis, long processMillis) {
    var times = new ExitTimes(Duration.ofSeconds(seconds));

    assertThat(times.requests()).hasMillis(requestsMillis);
    assertThat(times.process()).hasMillis(processMillis);
  }
}
