package io.nereid.grpc;

import io.grpc.stub.StreamObserver;
import io.nereid.engine.InferenceEngine;
import io.nereid.protocol.wire.health.HealthCheckRequest;
import io.nereid.protocol.wire.health.HealthCheckResponse;
import io.nereid.protocol.wire.health.HealthGrpc;

/**
 * The health service that load balancers know. It reports readiness, whatever service is asked
 * about.
 */
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
