package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests whose predicted wait exceeds their limit, over both protocols. */
@Timeout(120)
class OverloadTest {
  private static final String MODEL = "overloaded";
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final String REFUSED =
      "\\[request id: late] model 'overloaded' is overloaded: the request would wait for about"
          + " \\d+\\.\\d{3} ms, and its limit is 0\\.\\d{3} ms; 0 requests are ahead of it";

  @TempDir Path directory;
  private LocalServer server;
  private CompletableFuture<HttpWire.Response> plug;

  /** Measures an execution; then another one holds the only instance. */
  @BeforeEach
  void block() throws IOException {
    ModelOnDisk.of(
        directory,
        MODEL,
        """
        backend: "gate"
        max_batch_size: 1
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        dynamic_batching {
          default_queue_policy {
            default_timeout_microseconds: 60000000 allow_timeout_override: true
          }
        }
        """);
    server =
        new LocalServer(
            LocalServer.options(directory, "--allow-metrics=true", "--metrics-port=0"),
            new CheckedBufferPool());
    Gate.of(MODEL).open(1);
    assertThat(overHttp("measured", 0).status()).isEqualTo(200);
    plug =
        CompletableFuture.supplyAsync(
            () -> overHttp("plug", 0), task -> Thread.ofVirtual().start(task));
    Gate.of(MODEL).awaitBegun(2);
  }

  @AfterEach
  void stop() {
    Gate.of(MODEL).tearDown();
    server.close();
    Gate.forget(MODEL);
  }

  private HttpWire.Response overHttp(String id, long timeoutMicros) {
    return overHttp(id, timeoutMicros, Map.of());
  }

  private HttpWire.Response overHttp(String id, long timeoutMicros, Map<String, String> headers) {
    String json =
        ("{\"id\":\"%s\",\"parameters\":{\"timeout\":%d},\"inputs\":[{\"name\":\"IN0\","
                + "\"datatype\":\"UINT8\",\"shape\":[1,2],\"data\":[1,2]}]}")
            .formatted(id, timeoutMicros);
    try (var wire = new HttpWire(server.http())) {
      return wire.send(
          "POST", "/v2/models/" + MODEL + "/infer", json.getBytes(StandardCharsets.UTF_8), headers);
    }
  }

  private void overGrpc() {
    var request = ModelInferRequest.newBuilder().setModelName(MODEL).setId("late");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(1).addShape(2);
    request.addRawInputContents(ByteString.copyFrom(new byte[2]));
    request.putParameters("timeout", InferParameter.newBuilder().setInt64Param(1).build());
    GRPCInferenceServiceGrpc.newBlockingStub(server.channel()).modelInfer(request.build());
  }

  private String metrics() {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  @Test
  void answersARefusedRequestWith429() {
    HttpWire.Response refused = overHttp("late", 1);

    assertThat(refused.status()).isEqualTo(429);
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isPositive();
    assertThat(refused.text()).matches("\\{\"error\":\"" + REFUSED + "\"}");
  }

  @Test
  void refusesARequestThatCannotBeAnsweredBeforeTheDeadlineOfItsProxy() {
    HttpWire.Response refused = overHttp("late", 0, Map.of("x-envoy-expected-rq-timeout-ms", "1"));

    assertThat(refused.status()).isIn(429, 504); // 504 if 1 ms has passed before it is decoded
  }

  @Test
  void rejectsADeadlineThatIsNoNumber() {
    HttpWire.Response rejected =
        overHttp("bad", 0, Map.of("x-envoy-expected-rq-timeout-ms", "soon"));

    assertThat(rejected.status()).isEqualTo(400);
    assertThat(rejected.text())
        .isEqualTo(
            "{\"error\":\"x-envoy-expected-rq-timeout-ms must be a number of milliseconds, got: soon\"}");
  }

  @Test
  void answersARefusedCallWithResourceExhausted() {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(this::overGrpc)
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
          assertThat(refused.getStatus().getDescription()).matches(REFUSED);
          assertThat(Objects.requireNonNull(refused.getTrailers()).get(PUSHBACK)).matches("\\d+");
        });
  }

  @Test
  void countsRefusedRequestsApartFromFailedOnes() {
    overHttp("late", 1);
    overHttp("late", 1);

    assertThat(metrics())
        .contains(
            "nereid_inference_refused_total{model=\"overloaded\",reason=\"predicted_wait\",version=\"1\"} 2",
            "nv_inference_request_failure{model=\"overloaded\",reason=\"REJECTED\",version=\"1\"} 0");
  }

  @Test
  void answersWhatWasAdmittedAndWhatHasNoLimit() throws Exception {
    var waiting =
        CompletableFuture.supplyAsync(
            () -> overHttp("patient", 0), task -> Thread.ofVirtual().start(task));
    overHttp("late", 1);
    Gate.of(MODEL).openAll();

    assertThat(plug.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    assertThat(waiting.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    assertThat(overHttp("next", 50_000_000).status()).as("the instance is idle").isEqualTo(200);
  }
}
