package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that watch the health of a server over gRPC. */
@Timeout(60)
class GrpcHealthWatchTest {
  @TempDir private Path repository;

  private LocalServer start() throws IOException {
    return new LocalServer(
        LocalServer.options(
            repository,
            "--model-control-mode=explicit",
            "--strict-readiness=every-model",
            "--exit-timeout-secs=30"),
        new CheckedBufferPool());
  }

  private static Iterator<HealthCheckResponse> watch(LocalServer server, String service) {
    var request = HealthCheckRequest.newBuilder().setService(service).build();
    return HealthGrpc.newBlockingStub(server.channel()).watch(request);
  }

  private static void load(LocalServer server, String model) {
    var _ =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .repositoryModelLoad(
                RepositoryModelLoadRequest.newBuilder().setModelName(model).build());
  }

  @Test
  void areToldTheStatusAtOnceAndThenEachChangeOfTheModels() throws IOException {
    ModelOnDisk.of(repository, "broken", "backend: \"none\"");
    try (var server = start()) {
      Iterator<HealthCheckResponse> anyService = watch(server, "anything");
      assertThat(anyService.next().getStatus()).isEqualTo(ServingStatus.SERVING);
      Iterator<HealthCheckResponse> whole = watch(server, "");
      assertThat(whole.next().getStatus()).isEqualTo(ServingStatus.SERVING);

      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> load(server, "broken"));

      assertThat(anyService.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      assertThat(whole.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    }
  }

  @Test
  void areLimitedWithTheOtherCallsWhileChecksAreAnswered() throws IOException {
    try (var server =
        new LocalServer(
            LocalServer.options(repository, "--grpc-max-requests=1"), new CheckedBufferPool())) {
      Iterator<HealthCheckResponse> watch = watch(server, "");
      assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);

      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> watch(server, "").next())
          .satisfies(refused ->
              assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
      assertThat(
              HealthGrpc.newBlockingStub(server.channel())
                  .check(HealthCheckRequest.getDefaultInstance())
                  .getStatus())
          .isEqualTo(ServingStatus.SERVING);
    }
  }

  @Test
  void areToldThatTheServerStopsAndDoNotDelayItsExit() throws IOException {
    var server =
        new LocalServer(
            LocalServer.options(repository, "--exit-timeout-secs=3600"), new CheckedBufferPool());
    Iterator<HealthCheckResponse> watch =
        HealthGrpc.newBlockingStub(server.channel()).watch(HealthCheckRequest.getDefaultInstance());
    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.SERVING);

    var closed = CompletableFuture.runAsync(server::stop);

    assertThat(watch.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(watch::next)
        .satisfies(
            ended -> assertThat(ended.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    closed.join();
    assertThat(server.isStoppedInTime()).isTrue();
    server.close();
  }
}
