package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.wire.health.HealthCheckRequest;
import io.nereid.tck.wire.health.HealthCheckResponse;
import io.nereid.tck.wire.health.HealthCheckResponse.ServingStatus;
import io.nereid.tck.wire.health.HealthGrpc;
import java.util.Iterator;
import org.junit.jupiter.params.provider.ValueSource;

/** Live, ready, ready models, and gRPC's own health service. */
public abstract class GrpcHealthVerification extends GrpcVerification {
  @RuleTable(
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
  void tellsWhetherItIsLiveOrReadyAndFailsForNoModel(
      String method, String request, String expected) {
    var response = call(method, request);
    assertThat(response).isEqualTo(message(response, expected));
  }

  @RuleCases("GRPC-HEALTH-03")
  @ValueSource(strings = {"", "inference.GRPCInferenceService", "anything"})
  void servesHealthUnderEveryServiceName(String service) {
    var request = HealthCheckRequest.newBuilder().setService(service).build();
    assertThat(HealthGrpc.newBlockingStub(channel()).check(request).getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  @RuleCases("GRPC-HEALTH-05")
  @ValueSource(strings = {"", "inference.GRPCInferenceService", "anything"})
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
