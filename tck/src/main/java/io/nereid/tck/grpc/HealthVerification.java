package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.tck.Rule;
import io.nereid.tck.wire.ModelReadyRequest;
import io.nereid.tck.wire.ServerLiveRequest;
import io.nereid.tck.wire.ServerReadyRequest;
import io.nereid.tck.wire.health.HealthCheckRequest;
import io.nereid.tck.wire.health.HealthCheckResponse;
import io.nereid.tck.wire.health.HealthCheckResponse.ServingStatus;
import io.nereid.tck.wire.health.HealthGrpc;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Live, ready, ready models, and gRPC's own health service. */
public abstract class HealthVerification extends GrpcVerification {
  @Test
  @Rule("GRPC-HEALTH-01")
  void isLiveAndReady() {
    assertThat(calls().serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isTrue();
    assertThat(calls().serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "simple,'',true",
    "simple,1,true",
    "two_versions,3,true",
    "simple,7,false",
    "unknown,'',false",
    "unknown,1,false"
  })
  @Rule("GRPC-HEALTH-02")
  void tellsWhetherAModelIsReadyAndFailsForNone(String name, String version, boolean ready) {
    var request = ModelReadyRequest.newBuilder().setName(name).setVersion(version).build();
    assertThat(calls().modelReady(request).getReady()).isEqualTo(ready);
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
