package io.nereid.server.grpc;

import io.grpc.stub.StreamObserver;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.protobuf.health.HealthCheckRequest;
import io.nereid.server.protobuf.health.HealthCheckResponse;
import io.nereid.server.protobuf.health.HealthGrpc;

/** gRPC's standard health service. It reports the server's readiness for every service name. */
final class HealthCalls extends HealthGrpc.HealthImplBase {
  private final InferenceEngine engine;

  HealthCalls(InferenceEngine engine) {
    this.engine = engine;
  }

  @Override
  public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> caller) {
    caller.onNext(
        HealthCheckResponse.newBuilder()
            .setStatus(
                engine.isReady()
                    ? HealthCheckResponse.ServingStatus.SERVING
                    : HealthCheckResponse.ServingStatus.NOT_SERVING)
            .build());
    caller.onCompleted();
  }
}
