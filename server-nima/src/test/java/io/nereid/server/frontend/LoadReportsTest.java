package io.nereid.server.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Duration;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.protobuf.orca.OpenRcaServiceGrpc;
import io.nereid.server.protobuf.orca.OrcaLoadReport;
import io.nereid.server.protobuf.orca.OrcaLoadReportRequest;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reports of the load by ORCA, in responses and beside them. The server has no model: requests
 * fail, and have reports too. Sources: Triton, {@code orca_http.cc} and QA L0_orca; gRFC A51;
 * Envoy's parser.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadReportsTest {
  private static final String FORMAT = "endpoint-load-metrics-format";
  private static final String REPORT = "endpoint-load-metrics";
  private static final String BINARY = "endpoint-load-metrics-bin";
  private static final Metadata.Key<String> TEXT_TRAILER =
      Metadata.Key.of(REPORT, Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> BINARY_TRAILER =
      Metadata.Key.of(BINARY, Metadata.BINARY_BYTE_MARSHALLER);

  private Path repository;
  private LocalServer server;

  @BeforeAll
  void start(@TempDir Path empty) throws IOException {
    repository = empty;
    server = serve(empty);
  }

  private static LocalServer serve(Path repository, String... options) throws IOException {
    return new LocalServer(LocalServer.options(repository, options), new CheckedBufferPool());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static Map<String, String> overHttp(
      LocalServer server, String target, Map<String, String> fields) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("POST", target, "{}".getBytes(UTF_8), fields).headers();
    }
  }

  /** The headers of the first response with a report: nothing was measured before. */
  private static Map<String, String> awaitReport(
      LocalServer server, String field, Map<String, String> fields) {
    while (true) {
      Map<String, String> headers = overHttp(server, "/v2/models/none/infer", fields);
      if (headers.containsKey(field)) {
        return headers;
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static Metadata trailers(LocalServer server, Map<String, String> metadata) {
    var headers = new Metadata();
    metadata.forEach((name, value) ->
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
    var trailers = new AtomicReference<@Nullable Metadata>();
    var channel =
        ClientInterceptors.intercept(
            server.channel(),
            MetadataUtils.newAttachHeadersInterceptor(headers),
            MetadataUtils.newCaptureMetadataInterceptor(new AtomicReference<>(), trailers));
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> {
          var _ =
              GRPCInferenceServiceGrpc.newBlockingStub(channel)
                  .modelInfer(ModelInferRequest.newBuilder().setModelName("none").build());
        });
    Metadata received = trailers.get();
    return received == null ? new Metadata() : received;
  }

  private static Metadata awaitTrailer(LocalServer server, Map<String, String> metadata) {
    while (true) {
      Metadata trailers = trailers(server, metadata);
      if (trailers.containsKey(TEXT_TRAILER) || trailers.containsKey(BINARY_TRAILER)) {
        return trailers;
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static Map<String, Double> textReport(String text) {
    assertThat(text).startsWith("TEXT ");
    Map<String, Double> report = new HashMap<>();
    for (String entry : text.substring(5).split(", ", -1)) {
      String[] parts = entry.split("=", 2);
      report.put(parts[0], Double.valueOf(parts[1]));
    }
    return report;
  }

  private static Iterator<OrcaLoadReport> stream(LocalServer server, long millis) {
    var request =
        OrcaLoadReportRequest.newBuilder()
            .setReportInterval(Duration.newBuilder().setNanos((int) (millis * 1_000_000)))
            .build();
    return OpenRcaServiceGrpc.newBlockingStub(server.channel()).streamCoreMetrics(request);
  }

  @Test
  void areTextForTheFormatText() {
    String text = String.valueOf(awaitReport(server, REPORT, Map.of(FORMAT, "text")).get(REPORT));

    assertThat(textReport(text))
        .containsOnlyKeys("application_utilization", "cpu_utilization", "rps_fractional", "eps")
        .allSatisfy((_, value) -> assertThat(value).isNotNegative());
  }

  @Test
  void areJsonForTheFormatJson() {
    String text = String.valueOf(awaitReport(server, REPORT, Map.of(FORMAT, "json")).get(REPORT));

    assertThat(text).startsWith("JSON {");
    assertThat(Json.member(Json.parse(text.substring(5).getBytes(UTF_8)), "rps_fractional"))
        .isInstanceOf(Number.class);
  }

  @Test
  void areProtobufForTheFormatBin() throws IOException {
    String base64 = String.valueOf(awaitReport(server, BINARY, Map.of(FORMAT, "bin")).get(BINARY));

    OrcaLoadReport report = OrcaLoadReport.parseFrom(Base64.getDecoder().decode(base64));
    assertThat(report.getCpuUtilization()).isNotNegative();
  }

  @Test
  void areTrailersOverGrpc() throws IOException {
    assertThat(
            textReport(
                String.valueOf(awaitTrailer(server, Map.of(FORMAT, "text")).get(TEXT_TRAILER))))
        .containsKey("rps_fractional");
    assertThat(awaitTrailer(server, Map.of(FORMAT, "json")).get(TEXT_TRAILER)).startsWith("JSON {");
    byte[] binary = awaitTrailer(server, Map.of(FORMAT, "bin")).get(BINARY_TRAILER);
    assertThat(OrcaLoadReport.parseFrom(binary).getEps()).isNotNegative();
  }

  @Test
  void areNotSentUnlessTheyAreAskedFor() {
    awaitReport(server, REPORT, Map.of(FORMAT, "text"));

    assertThat(overHttp(server, "/v2/models/none/infer", Map.of()))
        .doesNotContainKeys(REPORT, BINARY);
    assertThat(trailers(server, Map.of()).containsKey(TEXT_TRAILER)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "TEXT", "xml", "text, json", "text;q=1", "%s%n", "bin bin"})
  void areNotSentInAFormatThatIsNone(String format) {
    awaitReport(server, REPORT, Map.of(FORMAT, "text"));

    assertThat(overHttp(server, "/v2/models/none/infer", Map.of(FORMAT, format)))
        .doesNotContainKeys(REPORT, BINARY);
    assertThat(trailers(server, Map.of(FORMAT, format)).keys()).doesNotContain(REPORT, BINARY);
  }

  @Test
  void areSentWithGenerateToo() {
    awaitReport(server, REPORT, Map.of(FORMAT, "text"));

    assertThat(overHttp(server, "/v2/models/none/generate", Map.of(FORMAT, "text")))
        .containsKey(REPORT);
    assertThat(overHttp(server, "/v2/models/none/generate_stream", Map.of(FORMAT, "text")))
        .containsKey(REPORT);
  }

  @Test
  void areSentToWhoMayReadStatisticsOnly() throws IOException {
    try (var restricted =
        serve(
            repository,
            "--http-restricted-api=statistics:admin=secret",
            "--grpc-restricted-protocol=statistics:admin=secret")) {
      String grpcHeader = "triton-grpc-protocol-admin";
      awaitReport(restricted, REPORT, Map.of(FORMAT, "text", "admin", "secret"));
      awaitTrailer(restricted, Map.of(FORMAT, "text", grpcHeader, "secret"));

      assertThat(overHttp(restricted, "/v2/models/none/infer", Map.of(FORMAT, "text")))
          .doesNotContainKey(REPORT);
      assertThat(
              trailers(restricted, Map.of(FORMAT, "text", grpcHeader, "guessed"))
                  .containsKey(TEXT_TRAILER))
          .isFalse();
      Iterator<OrcaLoadReport> refused = stream(restricted, 100);
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(refused::hasNext)
          .withMessageContaining("restricted");
    }
  }

  @Test
  void comeInIntervalsBesideTheRequests() {
    Iterator<OrcaLoadReport> reports = stream(server, 100);

    for (int i = 0; i < 3; i++) {
      assertThat(reports.next().getApplicationUtilization()).isNotNegative();
    }
  }

  @Test
  void endWhenTheServerStops() throws IOException {
    try (var stopping = serve(repository, "--exit-timeout-secs=30")) {
      Iterator<OrcaLoadReport> reports = stream(stopping, 100);
      assertThat(reports.next()).isNotNull();

      stopping.stop();

      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> {
            while (reports.hasNext()) {
              reports.next();
            }
          })
          .satisfies(
              end -> assertThat(end.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    }
  }

  @Test
  void comeToNoMoreStreamsThanAClientMayHave() throws IOException {
    try (var limited = serve(repository, "--grpc-max-requests=8")) {
      List<Iterator<OrcaLoadReport>> streams = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        streams.add(stream(limited, 100));
      }
      int refused = 0;
      for (Iterator<OrcaLoadReport> reports : streams) {
        try {
          assertThat(reports.next()).isNotNull();
        } catch (StatusRuntimeException tooMany) {
          assertThat(tooMany.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
          refused++;
        }
      }
      assertThat(refused).isPositive();
    }
  }
}
