package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.protobuf.GRPCInferenceServiceGrpc;
import io.nereid.server.protobuf.ServerLiveRequest;
import io.nereid.server.protobuf.ServerMetadataRequest;
import io.nereid.server.protobuf.ServerReadyRequest;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server one of whose repositories cannot be read. */
@Timeout(60)
class FailedStartTest {
  @TempDir private Path directory;

  private static int status(LocalServer server, String path) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("GET", path, new byte[0], Map.of()).status();
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
    try (var server = new InferenceServer(options, new CheckedBufferPool())) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(server::start)
          .withMessageContaining("cannot read model repository");
    }
  }
}
