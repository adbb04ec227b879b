package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.health.HealthCheckRequest;
import io.nereid.tck.wire.health.HealthCheckResponse;
import io.nereid.tck.wire.health.HealthCheckResponse.ServingStatus;
import io.nereid.tck.wire.health.HealthGrpc;
import java.util.Iterator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Live, ready, ready models, and gRPC's own health service. */
public abstract class GrpcHealthVerification extends GrpcVerification {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          GRPC-HEALTH-01 | ServerLive  | ``                                 | live: true
          GRPC-HEALTH-01 | ServerReady | ``                                 | ready: true
          GRPC-HEALTH-02 | ModelReady  | name: 'simple'                     | ready: true
          GRPC-HEALTH-02 | ModelReady  | name: 'simple' version: '1'        | ready: true
          GRPC-HEALTH-02 | ModelReady  | name: 'two_versions' version: '3'  | ready: true
          GRPC-HEALTH-02 | ModelReady  | name: 'simple' version: '7'        | ready: false
          GRPC-HEALTH-02 | ModelReady  | name: 'unknown'                    | ready: false
          GRPC-HEALTH-02 | ModelReady  | name: 'unknown' version: '1'       | ready: false
          """)
  @Rule
  void tellsWhetherItIsLiveOrReadyAndFailsForNoModel(
      String rule, String method, String request, String expected) {
    var response = call(method, request);
    assertThat(response).isEqualTo(message(response, expected));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "inference.GRPCInferenceService", "anything"})
  @Rule("GRPC-HEALTH-03")
  void servesHealthUnderEveryServiceName(String service) {
    var request = HealthCheckRequest.newBuilder().setService(service).build();
    assertThat(HealthGrpc.newBlockingStub(channel()).check(request).getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "inference.GRPCInferenceService", "anything"})
  @Rule("GRPC-HEALTH-05")
  void tellsThoseThatWatchAtOnce(String service) {
    var request = HealthCheckRequest.newBuilder().setService(service).build();
    try (var watch = Context.current().withCancellation()) {
      watch.run(() ->
          assertThat(first(HealthGrpc.newBlockingStub(channel()).watch(request)))
              .isEqualTo(ServingStatus.SERVING));
    }
  }

  /** The first status of those that may be watched. */
  private static ServingStatus first(Iterator<HealthCheckResponse> watch) {
    try {
      return watch.next().getStatus();
    } catch (StatusRuntimeException refused) {
      assumeThat(refused.getStatus().getCode())
          .as("Watch is rejected")
          .isNotEqualTo(Status.Code.UNIMPLEMENTED);
      throw refused;
    }
  }
}
