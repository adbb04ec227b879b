package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.nereid.error.InferenceException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrpcStatusesTest {
  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "400000,1", "1000000,1", "1000001,2", "999999999,1000"})
  void aTimeToComeAgainIsRoundedUpToMilliseconds(long nanos, String millis) {
    InferenceException failure = InferenceException.exhausted("full", Duration.ofNanos(nanos));

    assertThat(GrpcStatuses.headers(GrpcStatuses.exhausted(failure), true))
        .anySatisfy(header -> {
          assertThat(header.getKey()).hasToString("grpc-retry-pushback-ms");
          assertThat(header.getValue()).hasToString(millis);
        });
  }

  @Test
  void aTextIsEncodedAsGrpcWantsIt() {
    Status status = Status.UNAVAILABLE.withDescription("50 % of 'é' (~1)\n");

    assertThat(GrpcStatuses.headers(status, true).get("grpc-message"))
        .hasToString("50 %25 of '%C3%A9' (~1)%0A");
  }
}
