package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.protocol.inference.ServerMetadataRequest;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.RepositoryFolder;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server one of whose repositories cannot be read, or one of whose models does not load. */
@Timeout(180)
class FailedStartTest {
  private static final String FAILURE =
      "1 of 2 models did not load: broken (%s); --exit-on-error=false starts without them"
          .formatted(RepositoryFolder.reasonOfBroken("broken"));

  @TempDir private Path directory;

  /** A repository with a model that loads, and one that does not. */
  private Path withABrokenModel() throws IOException {
    Path models = directory.resolve("models");
    RepositoryFolder repository = RepositoryFolder.at(models);
    repository.addEcho("m");
    repository.add("broken", RepositoryFolder.BROKEN, 1);
    return models;
  }

  private static int status(LocalServer server, String path) {
    return get(server, path).status();
  }

  private static HttpWire.Response get(LocalServer server, String path) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("GET", path, new byte[0], Map.of());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--strict-readiness=true", "--strict-readiness=false"})
  void isNeitherLiveNorReadyIfItIsToRunNevertheless(String readiness) throws IOException {
    var options =
        LocalServer.options(
            directory,
            "--model-repository=" + directory.resolve("missing"),
            "--exit-on-error=false",
            readiness);
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      assertThat(status(server, "/v2/health/live")).isEqualTo(400);
      assertThat(status(server, "/v2/health/ready")).isEqualTo(400);
      assertThat(status(server, "/v2")).isEqualTo(200);
      var grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
      assertThat(grpc.serverLive(ServerLiveRequest.getDefaultInstance()).getLive()).isFalse();
      assertThat(grpc.serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isFalse();
      assertThat(grpc.serverMetadata(ServerMetadataRequest.getDefaultInstance()).getName())
          .isEqualTo("nereid");
    }
  }

  @Test
  void doesNotRunOtherwise() throws IOException {
    var options = LocalServer.options(directory.resolve("missing"));
    try (var server =
        new NereidServer(options, NereidServer.unconfigured(options), new CheckedBufferPool())) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(server::start)
          .withMessageContaining("cannot read model repository");
    }
  }

  @Test
  void doesNotStartIfAModelDoesNotLoad() throws IOException {
    var options = LocalServer.options(withABrokenModel());
    try (var server =
        new NereidServer(options, NereidServer.unconfigured(options), new CheckedBufferPool())) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(server::start)
          .withMessage(FAILURE);
    }
  }

  @ParameterizedTest
  @CsvSource({"true,400", "false,200"})
  void servesTheModelsThatLoadIfItIsToStartNevertheless(String strictReadiness, int ready)
      throws IOException {
    var options =
        LocalServer.options(
            withABrokenModel(),
            "--exit-on-error=false",
            "--strict-readiness=" + strictReadiness,
            "--allow-metrics=true",
            "--metrics-port=0");
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      assertThat(status(server, "/v2/health/live")).isEqualTo(200);
      assertThat(status(server, "/v2/health/ready")).isEqualTo(ready);
      assertThat(get(server, "/v2/health/ready").text())
          .startsWith(ready == 200 ? "" : "{\"error\":\"model 'broken' version 1 is UNAVAILABLE: ");
      server.awaitMetric("nereid_server_ready " + (ready == 200 ? 1 : 0));
      assertThat(status(server, "/v2/models/m/ready")).isEqualTo(200);
      assertThat(status(server, "/v2/models/broken/ready")).isEqualTo(400);
    }
  }

  @Test
  void theExitStatusIsOneIfAModelDoesNotLoad() throws Exception {
    try (var process = ServerProcess.start(directory, withABrokenModel())) {
      assertThat(process.exitStatus()).isEqualTo(1);
      assertThat(process.log()).last().isEqualTo("nereid: " + FAILURE);
      assertThat(process.log()).noneMatch(line -> line.contains("Started HTTPService"));
    }
  }
}
