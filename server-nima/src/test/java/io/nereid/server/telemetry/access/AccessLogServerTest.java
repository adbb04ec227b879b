package io.nereid.server.telemetry.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.support.StreamEnd;
import io.nereid.tck.TckModels;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The access log of a server, of real requests on both protocols. */
@Timeout(60)
class AccessLogServerTest {
  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
  private static final String TRACEPARENT = "00-" + TRACE_ID + "-b7ad6b7169203331-01";
  private static final String RPC = "inference.GRPCInferenceService/";

  @TempDir private Path folder;
  private Path file;
  private LocalServer server;
  private HttpWire wire;
  private boolean stopped;

  @BeforeEach
  void start() throws IOException {
    file = folder.resolve("access.log");
    Path models = folder.resolve("models");
    TckModels.extractTo(models);
    server =
        new LocalServer(
            LocalServer.options(
                models,
                "--access-log=" + file,
                "--allow-metrics=true",
                "--metrics-port=0",
                "--trace-config=triton,file=" + folder.resolve("trace.json"),
                "--trace-config=rate=1",
                "--trace-config=level=TIMESTAMPS"),
            new CheckedBufferPool());
    wire = new HttpWire(server.http());
  }

  @AfterEach
  void stop() {
    if (!stopped) {
      stopped = true;
      wire.close();
      server.close();
    }
  }

  private HttpWire.Response post(String path, String body) {
    return wire.send("POST", path, body.getBytes(UTF_8), Map.of("traceparent", TRACEPARENT));
  }

  /** The lines, which are whole once the server has stopped. */
  private List<Map<String, Object>> lines() throws IOException {
    stop();
    return Files.readAllLines(file).stream().map(AccessLogServerTest::members).toList();
  }

  private static Map<String, Object> members(String line) {
    Map<String, Object> members = new TreeMap<>();
    Json.object(line.getBytes(UTF_8)).forEach((name, value) -> members.put((String) name, value));
    return members;
  }

  private static long number(Map<String, Object> line, String name) {
    return Long.parseLong(String.valueOf(line.get(name)));
  }

  private static ModelInferRequest request(String model, String input, String id) {
    var request = ModelInferRequest.newBuilder().setModelName(model).setId(id);
    request.addInputsBuilder().setName(input).setDatatype("INT32").addShape(2);
    return request.addRawInputContents(ByteString.copyFrom(Samples.ints(7, 8))).build();
  }

  @Test
  void anInferenceOverHttpHasItsModelIdTimesAndTraces() throws IOException {
    String body =
        "{\"id\":\"r-1\",\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"INT32\",\"shape\":[2],"
            + "\"data\":[1,2]}]}";
    HttpWire.Response response = post("/v2/models/identity_int32/infer?x=1", body);
    assertThat(response.status()).isEqualTo(200);

    Map<String, Object> line = lines().getFirst();
    assertThat(line)
        .containsEntry("protocol", "http")
        .containsEntry("client", "127.0.0.1")
        .containsEntry("method", "POST")
        .containsEntry("path", "/v2/models/identity_int32/infer")
        .containsEntry("model", "identity_int32")
        .containsEntry("version", "1")
        .containsEntry("id", "r-1")
        .containsEntry("trace_id", TRACE_ID)
        .doesNotContainKeys("error", "rpc", "grpc_status");
    assertThat(number(line, "status")).isEqualTo(200);
    assertThat(number(line, "bytes_in")).isEqualTo(body.length());
    assertThat(number(line, "bytes_out")).isEqualTo(response.body().length);
    assertThat(number(line, "trace")).isPositive();
    assertThat(number(line, "total_us"))
        .isGreaterThanOrEqualTo(number(line, "queue_us") + number(line, "compute_us"));
  }

  @Test
  void aLineHasWhatAClientOrItsProxySaysOfARequestOverBothProtocols() throws IOException {
    wire.send(
        "GET",
        "/v2/health/live",
        new byte[0],
        Map.of("X-Request-Id", "a-1", "X-Forwarded-For", "192.0.2.7", "User-Agent", "curl/8"));
    var headers = new Metadata();
    headers.put(Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER), "a-2");
    var grpc =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    var _ = grpc.serverLive(ServerLiveRequest.getDefaultInstance());

    List<Map<String, Object>> lines = lines();
    assertThat(lines.get(0))
        .containsEntry("request_id", "a-1")
        .containsEntry("forwarded_for", "192.0.2.7")
        .containsEntry("user_agent", "curl/8");
    assertThat(lines.get(1)).containsEntry("request_id", "a-2").doesNotContainKey("forwarded_for");
    assertThat((String) lines.get(1).get("user_agent")).startsWith("grpc-java");
  }

  @Test
  void callsThatControlAModelHaveItsName() throws IOException {
    post("/v2/repository/models/other/load", "{}");
    var grpc = GRPCInferenceServiceGrpc.newBlockingStub(server.channel());
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() ->
            grpc.repositoryModelUnload(
                RepositoryModelUnloadRequest.newBuilder().setModelName("another").build()));

    assertThat(lines()).extracting(line -> line.get("model")).containsExactly("other", "another");
  }

  @Test
  void refusalsMalformedHeadsAndOtherRoutesHaveLinesToo() throws IOException {
    post("/v2/models/none/infer", "{}");
    wire.send("GET", "/v2/health/live", new byte[0], Map.of());
    wire.exchange("NO SUCH REQUEST\r\n\r\n".getBytes(UTF_8));

    List<Map<String, Object>> lines = lines();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .containsEntry("model", "none")
        .containsEntry("error", "Request for unknown model: 'none' is not found");
    assertThat(number(lines.get(0), "status")).isEqualTo(404);
    assertThat(lines.get(1))
        .containsEntry("path", "/v2/health/live")
        .doesNotContainKeys("model", "error", "queue_us");
    assertThat(number(lines.get(2), "status")).isEqualTo(400);
    assertThat(lines.get(2)).containsKey("error").doesNotContainKey("path");
  }

  @Test
  void generateHasALineWithTheBytesOfAllItsEvents() throws IOException {
    HttpWire.Response response =
        post("/v2/models/repeat/generate_stream", "{\"id\":\"g\",\"IN\":[5,6,7]}");
    assertThat(response.status()).isEqualTo(200);

    Map<String, Object> line = lines().getFirst();
    assertThat(line).containsEntry("model", "repeat").containsEntry("id", "g");
    assertThat(number(line, "bytes_out")).isEqualTo(response.body().length);
    assertThat(line).containsKey("compute_us");
  }

  @Test
  void aCallOfGrpcHasItsModelIdTimesAndTrace() throws IOException {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), TRACEPARENT);
    var grpc =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    var _ = grpc.modelInfer(request("identity_int32", "INPUT0", "r-2"));
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> grpc.modelInfer(request("none", "INPUT0", "r-3")));

    List<Map<String, Object>> lines = lines();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .containsEntry("protocol", "grpc")
        .containsEntry("client", "127.0.0.1")
        .containsEntry("rpc", RPC + "ModelInfer")
        .containsEntry("model", "identity_int32")
        .containsEntry("version", "1")
        .containsEntry("id", "r-2")
        .containsEntry("grpc_status", "OK")
        .containsEntry("trace_id", TRACE_ID)
        .doesNotContainKeys("error", "status", "path");
    assertThat(number(lines.get(0), "bytes_in")).isPositive();
    assertThat(number(lines.get(0), "bytes_out")).isPositive();
    assertThat(number(lines.get(0), "compute_us")).isNotNegative();
    assertThat(lines.get(1))
        .containsEntry("id", "r-3")
        .containsEntry("model", "none")
        .containsEntry("grpc_status", "NOT_FOUND")
        .containsEntry("error", "Request for unknown model: 'none' is not found");
  }

  @Test
  void eachRequestOfAStreamHasALineAndSoHasTheCall() throws Exception {
    var ended = new StreamEnd();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(server.channel()).modelStreamInfer(ended);
    stream.onNext(request("repeat", "IN", "s-1"));
    stream.onNext(request("none", "IN", "s-2"));
    stream.onCompleted();
    ended.await();

    List<Map<String, Object>> lines = lines();
    assertThat(lines)
        .extracting(line -> line.get("id"))
        .containsExactlyInAnyOrder("s-1", "s-2", null);
    assertThat(lines).allMatch(line -> line.containsValue(RPC + "ModelStreamInfer"));
    for (Map<String, Object> line : lines) {
      if ("s-1".equals(line.get("id"))) {
        assertThat(line).containsEntry("model", "repeat").containsEntry("grpc_status", "OK");
        assertThat(number(line, "bytes_in")).isEqualTo(8);
        assertThat(number(line, "bytes_out")).isPositive();
      } else if ("s-2".equals(line.get("id"))) {
        assertThat(line).containsEntry("model", "none").containsEntry("grpc_status", "NOT_FOUND");
      } else {
        assertThat(line).containsEntry("grpc_status", "OK").doesNotContainKey("model");
      }
    }
  }

  @Test
  void theMetricsCountTheLines() {
    wire.send("GET", "/v2/health/live", new byte[0], Map.of());

    try (var metrics = new HttpWire(server.metrics())) {
      assertThat(metrics.send("GET", "/metrics", new byte[0], Map.of()).text())
          .contains("# TYPE nereid_access_log_lines_total counter\n")
          .contains("nereid_access_log_lost_total{reason=\"queue_full\"} 0\n")
          .contains("nereid_access_log_lost_total{reason=\"write_failed\"} 0\n");
    }
  }
}
