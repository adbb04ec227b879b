package io.nereid.server.telemetry.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelMetadataRequest;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.options.ParsedOptions;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Requests whose responses have the id that is in the access log. */
@Timeout(60)
class RequestIdsServerTest {
  private static final Metadata.Key<String> ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
  private static final String NEW = "[0-9a-f]{32}";

  private final Path file;
  private final LocalServer server;

  RequestIdsServerTest(@TempDir Path folder) throws IOException {
    file = folder.resolve("access.log");
    Path models = folder.resolve("models");
    TckModels.extractTo(models);
    server =
        new LocalServer(
            LocalServer.options(models, "--access-log=" + file, "--access-log-request-ids=true"),
            new CheckedBufferPool());
  }

  /** The ids in the log, in the order in which the requests have ended. */
  private List<String> logged() throws IOException {
    server.close();
    return Files.readAllLines(file).stream()
        .map(line -> Json.object(line.getBytes(UTF_8)))
        .map(line -> (String) line.get("request_id"))
        .toList();
  }

  private String overHttp(String path, Map<String, String> headers) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("GET", path, new byte[0], headers).header("X-Request-Id");
    }
  }

  private GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub(
      AtomicReference<Metadata> headers, AtomicReference<Metadata> trailers, Metadata sent) {
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
        .withInterceptors(
            MetadataUtils.newAttachHeadersInterceptor(sent),
            MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));
  }

  @Test
  void overHttpAnIdIsKeptOrMadeAndSentAlsoWithAnError() throws IOException {
    List<String> sent =
        List.of(
            overHttp("/v2/health/live", Map.of("X-Request-Id", "a-1")),
            overHttp("/v2/health/live", Map.of()),
            overHttp("/v2/models/none", Map.of()),
            overHttp("/v2/health/live", Map.of("X-Request-Id", "two words")),
            overHttp("/v2/health/live", Map.of("X-Request-Id", "x".repeat(128))),
            overHttp("/v2/health/live", Map.of("X-Request-Id", "x".repeat(129))));

    assertThat(sent.get(0)).isEqualTo("a-1");
    assertThat(sent.get(1)).matches(NEW);
    assertThat(sent.get(2)).matches(NEW).isNotEqualTo(sent.get(1));
    assertThat(sent.get(3)).matches(NEW);
    assertThat(sent.get(4)).isEqualTo("x".repeat(128));
    assertThat(sent.get(5)).matches(NEW);
    assertThat(logged()).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void overGrpcItIsMetadataOrComesWithAStatusThatIsAlone() throws IOException {
    var headers = new AtomicReference<Metadata>();
    var trailers = new AtomicReference<Metadata>();
    var own = new Metadata();
    own.put(ID, "a-2");
    var _ = stub(headers, trailers, own).serverLive(ServerLiveRequest.getDefaultInstance());
    assertThat(headers.get().get(ID)).isEqualTo("a-2");
    assertThat(trailers.get().get(ID)).isNull();
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() ->
            stub(headers, trailers, new Metadata())
                .modelMetadata(ModelMetadataRequest.newBuilder().setName("none").build()));
    String made = trailers.get().get(ID);

    assertThat(made).matches(NEW);
    assertThat(logged()).containsExactlyInAnyOrder("a-2", made);
  }

  @Test
  void idsNeedALogThatHasThem() {
    server.close();
    assertThatExceptionOfType(CommandLine.ParameterException.class)
        .isThrownBy(() -> ParsedOptions.of("--model-repository=m", "--access-log-request-ids=true"))
        .withMessage("--access-log-request-ids needs --access-log, which has the ids");
  }
}
