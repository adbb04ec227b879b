package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.support.HeldServer;
import io.nereid.tck.gate.Execution;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The request parameter {@code timeout}, in microseconds, over both protocols. */
@Timeout(120)
class RequestTimeoutTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final String DEADLINE = "X-Envoy-Expected-Rq-Timeout-Ms: 500\r\n";

  @TempDir Path directory;
  private HeldServer server;
  private CompletableFuture<HttpWire.Response> plug;

  @BeforeEach
  void block() throws IOException {
    server =
        new HeldServer(
            directory,
            "dynamic_batching { default_queue_policy { allow_timeout_override: true"
                + " default_timeout_microseconds: 3600000000 } }");
    plug = send("plug", Duration.ZERO);
    server.gate().awaitBegun(1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private CompletableFuture<HttpWire.Response> send(String id, Duration timeout) {
    return CompletableFuture.supplyAsync(
        () -> overHttp(id, timeout), task -> Thread.ofVirtual().start(task));
  }

  private HttpWire.Response overHttp(String id, Duration timeout) {
    return overHttp(id, timeout, Map.of());
  }

  private HttpWire.Response overHttp(String id, Duration timeout, Map<String, String> headers) {
    String json =
        ("{\"id\":\"%s\",\"parameters\":{\"timeout\":%d},\"inputs\":[{\"name\":\"IN0\","
                + "\"datatype\":\"UINT8\",\"shape\":[2],\"data\":[1,2]}]}")
            .formatted(id, timeout.toNanos() / 1000);
    try (var wire = new HttpWire(server.http())) {
      return wire.send(
          "POST",
          "/v2/models/" + HeldServer.HELD + "/infer",
          json.getBytes(StandardCharsets.UTF_8),
          headers);
    }
  }

  private ModelInferResponse overGrpc(Duration timeout) {
    var request = ModelInferRequest.newBuilder().setModelName(HeldServer.HELD).setId("late");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(2);
    request.addRawInputContents(ByteString.copyFrom(new byte[2]));
    request.putParameters(
        "timeout", InferParameter.newBuilder().setInt64Param(timeout.toNanos() / 1000).build());
    return GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request.build());
  }

  private void assertOnlyThePlugRuns() throws Exception {
    server.gate().openAll();
    assertThat(plug.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    assertThat(server.gate().executions().stream().map(Execution::ids))
        .containsExactly(List.of("plug"));
  }

  @Test
  void endsAnHttpRequestThatWaitsAtTheDeadlineOfItsProxy() throws Exception {
    HttpWire.Response late =
        overHttp("late", Duration.ZERO, Map.of("X-Envoy-Expected-Rq-Timeout-Ms", "100"));

    assertThat(late.status()).isEqualTo(504);
    assertThat(late.text())
        .isEqualTo(
            "{\"error\":\"the deadline of the request has passed (x-envoy-expected-rq-timeout-ms)\"}");
    assertOnlyThePlugRuns();
  }

  @Test
  void endsARunningExecutionAtTheDeadlineOfItsProxy() throws Exception {
    server.endlessGate().openAll();
    byte[] request = HeldServer.request(HeldServer.ENDLESS, "late", 3, DEADLINE);

    try (var client = server.connect()) {
      client.getOutputStream().write(request);
      server.endlessGate().awaitBegun(1);
      client.shutdownOutput();

      assertThat(client.getInputStream().readAllBytes())
          .asString()
          .contains("HTTP/1.1 504 ")
          .endsWith(
              "{\"error\":\"the deadline of the request has passed (x-envoy-expected-rq-timeout-ms)\"}");
    }
    server.endlessGate().awaitEnded(1);
    assertOnlyThePlugRuns();
  }

  @Test
  void aProxyThatExpectsNoTimeSetsNoDeadline() throws Exception {
    CompletableFuture<HttpWire.Response> patient =
        CompletableFuture.supplyAsync(
            () -> overHttp("patient", Duration.ZERO, Map.of("x-envoy-expected-rq-timeout-ms", "0")),
            task -> Thread.ofVirtual().start(task));
    server.gate().openAll();

    assertThat(patient.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
  }

  @Test
  void expiresAnHttpRequestThatWaits() throws Exception {
    long start = System.nanoTime();
    var answer = overHttp("late", SHORT);

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text()).isEqualTo("{\"error\":\"Request timeout expired\"}");
    assertOnlyThePlugRuns();
  }

  @Test
  void expiresAGrpcRequestThatWaits() throws Exception {
    long start = System.nanoTime();
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> overGrpc(SHORT))
        .satisfies(rejected -> {
          assertThat(rejected.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
          assertThat(rejected.getStatus().getDescription()).isEqualTo("Request timeout expired");
        });

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT.toNanos());
    assertOnlyThePlugRuns();
  }

  @Test
  void runsARequestBeforeItsTimeout() throws Exception {
    long lent = server.outstanding();
    var late = send("late", Duration.ofMinutes(30));
    server.awaitOutstanding(2 * lent);
    server.gate().openAll();

    assertThat(late.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
  }
}
