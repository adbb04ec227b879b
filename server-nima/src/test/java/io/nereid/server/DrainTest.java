package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.InferParameter;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import io.nereid.protocol.inference.ServerReadyRequest;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is stopped while a sequence is open: which requests it admits and rejects. */
@Timeout(120)
class DrainTest {
  private static final String STOPPING =
      "Server is stopping, scheduler for model has stopped accepting new inference requests";

  /** The model that is stopped last: models are stopped in the order of their names. */
  private static final String LAST = "talks";

  private static final String TENSORS =
      """
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      """;
  private static final String GATE =
      TENSORS
          + """
          backend: "gate"
          instance_group { count: 1 kind: KIND_CPU }
          """;
  private static final String OPEN =
      "parameters { key: \"gate_open\" value { string_value: \"true\" } }";
  private static final String SEQUENCES =
      """
      sequence_batching {
        max_sequence_idle_microseconds: 600000000
        oldest { max_candidate_sequences: 4 }
      }
      """;
  private static final String ENSEMBLE =
      """
      platform: "ensemble"
      ensemble_scheduling {
        step { model_name: "%s" model_version: -1
          input_map { key: "IN0" value: "IN0" } output_map { key: "OUT0" value: "BETWEEN" } }
        step { model_name: "%s" model_version: -1
          input_map { key: "IN0" value: "BETWEEN" } output_map { key: "OUT0" value: "OUT0" } }
      }
      """;

  @TempDir Path repository;
  private final BufferPool pool = new CheckedBufferPool();
  private NereidServer server;
  private HttpWire http;
  private ManagedChannel channel;
  private CompletableFuture<?> closed = CompletableFuture.completedFuture(null);

  @BeforeEach
  void start() throws IOException {
    model("held", GATE);
    model("plain", GATE + OPEN);
    model("talk", GATE + OPEN + SEQUENCES);
    model("pair", TENSORS + ENSEMBLE.formatted("held", "plain"));
    model("talks", TENSORS + ENSEMBLE.formatted("plain", "talk"));
    serve(60);
  }

  private void model(String name, String config) {
    ModelOnDisk.of(repository, name, config);
  }

  private void serve(int exitTimeoutSeconds) throws IOException {
    var options =
        LocalServer.options(
            repository,
            "--exit-timeout-secs=" + exitTimeoutSeconds,
            "--allow-metrics=true",
            "--metrics-address=127.0.0.1",
            "--metrics-port=0");
    server = new NereidServer(options, NereidServer.unconfigured(options), pool);
    server.start();
    http = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()));
    assertThat(http.send("GET", "/v2/health/ready", new byte[0], Map.of()).status()).isEqualTo(200);
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    Gate.of("held").tearDown();
    http.close();
    channel.shutdownNow();
    server.close();
    closed.join();
    Gate.forget("held");
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }

  private static HttpWire.Response send(HttpWire wire, String model, String parameters) {
    String json =
        ("{\"id\":\"r\",\"parameters\":{%s},\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\","
                + "\"shape\":[1],\"data\":[7]}]}")
            .formatted(parameters);
    return wire.send(
        "POST", "/v2/models/" + model + "/infer", json.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  private void succeeds(String model, String parameters) {
    var response = send(http, model, parameters);
    assertThat(response.text()).contains("\"data\":[7]");
    assertThat(response.status()).isEqualTo(200);
  }

  private void rejected(String model, String parameters, String text) {
    var response = send(http, model, parameters);
    assertThat(response.text()).isEqualTo("{\"error\":\"" + text + "\"}");
    assertThat(response.status()).isEqualTo(503);
  }

  /** Closes the server on another thread, and returns once it rejects requests. */
  private void beginToStop() {
    closed = CompletableFuture.runAsync(server::close, task -> Thread.ofPlatform().start(task));
    String whole = "\"sequence_id\":99,\"sequence_start\":true,\"sequence_end\":true";
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (send(http, LAST, whole).status() == 200) {
      assertThat(System.nanoTime() - deadline).as("still admits requests").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private ModelInferRequest request(String model, boolean start, boolean end) {
    var request = ModelInferRequest.newBuilder().setModelName(model).setId("g");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(1);
    request.addRawInputContents(ByteString.copyFrom(new byte[] {7}));
    request.putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(5).build());
    request.putParameters(
        "sequence_start", InferParameter.newBuilder().setBoolParam(start).build());
    request.putParameters("sequence_end", InferParameter.newBuilder().setBoolParam(end).build());
    return request.build();
  }

  private GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub calls() {
    return GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private void rejectedOverGrpc(ModelInferRequest request, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> calls().modelInfer(request))
        .satisfies(failure -> {
          assertThat(failure.getStatus().getDescription()).isEqualTo(text);
          assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        });
  }

  @Test
  void finishesAnOpenSequenceOverHttpAndRejectsNewRequests() throws Exception {
    succeeds("talk", "\"sequence_id\":5,\"sequence_start\":true");
    beginToStop();

    succeeds("talk", "\"sequence_id\":5");
    rejected("talk", "\"sequence_id\":6,\"sequence_start\":true", STOPPING);
    rejected("plain", "", "[request id: r] " + STOPPING);
    rejected("pair", "", "[request id: r] " + STOPPING);
    assertThat(http.send("GET", "/v2/health/ready", new byte[0], Map.of()).status()).isEqualTo(400);
    assertThat(http.connections()).isEqualTo(1);
    assertThat(closed).isNotDone();

    succeeds("talk", "\"sequence_id\":5,\"sequence_end\":true");
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void finishesAnOpenSequenceOverGrpcAndRejectsNewRequests() throws Exception {
    calls().modelInfer(request("talk", true, false));
    beginToStop();

    calls().modelInfer(request("talk", false, false));
    rejectedOverGrpc(request("talk", true, false), STOPPING);
    rejectedOverGrpc(request("plain", false, false), "[request id: g] " + STOPPING);
    assertThat(calls().serverReady(ServerReadyRequest.getDefaultInstance()).getReady()).isFalse();

    calls().modelInfer(request("talk", false, true));
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void finishesAnOpenSequenceOnAStream() throws Exception {
    BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    StreamObserver<ModelInferRequest> stream =
        GRPCInferenceServiceGrpc.newStub(channel)
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse message) {
                    received.add(message.getErrorMessage());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    received.add(Status.fromThrowable(failure).getCode());
                  }

                  @Override
                  public void onCompleted() {
                    received.add(Status.Code.OK);
                  }
                });
    stream.onNext(request("talk", true, false));
    assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo("");
    beginToStop();

    stream.onNext(request("plain", false, false));
    assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo("[request id: g] " + STOPPING);
    stream.onNext(request("talk", false, true));
    assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo("");
    assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(Status.Code.UNAVAILABLE);
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void finishesAnOpenSequenceOfAnEnsemble() throws Exception {
    succeeds("talks", "\"sequence_id\":5,\"sequence_start\":true");
    beginToStop();

    succeeds("talks", "\"sequence_id\":5");
    rejected("talks", "\"sequence_id\":6,\"sequence_start\":true", "[request id: r] " + STOPPING);

    succeeds("talks", "\"sequence_id\":5,\"sequence_end\":true");
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void executesTheStepsOfAnAdmittedEnsembleRequest() throws Exception {
    succeeds("talk", "\"sequence_id\":5,\"sequence_start\":true");
    var admitted =
        CompletableFuture.supplyAsync(
            () -> {
              try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
                return send(wire, "pair", "").text();
              }
            },
            task -> Thread.ofVirtual().start(task));
    Gate.of("held").awaitBegun(1);
    beginToStop();
    Gate.of("held").openAll();

    assertThat(admitted.get(30, TimeUnit.SECONDS)).contains("\"data\":[7]");
    succeeds("talk", "\"sequence_id\":5,\"sequence_end\":true");
    closed.get(30, TimeUnit.SECONDS);
  }

  @Test
  void rejectsNewConnectionsWhileASequenceIsOpen() throws Exception {
    succeeds("talk", "\"sequence_id\":5,\"sequence_start\":true");
    beginToStop();

    try (var late = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
      HttpWire.Response refused = send(late, "talk", "\"sequence_id\":5");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      assertThat(refused.text()).isEqualTo("{\"error\":\"the server is stopping\"}");
    }
    ManagedChannel lateChannel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
    try {
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() ->
              GRPCInferenceServiceGrpc.newBlockingStub(lateChannel)
                  .modelInfer(request("talk", false, false)))
          .satisfies(failure ->
              assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    } finally {
      lateChannel.shutdownNow();
    }
    succeeds("talk", "\"sequence_id\":5,\"sequence_end\":true");
    closed.get(30, TimeUnit.SECONDS);
    assertThat(server.isClosedInTime()).isTrue();
  }

  @Test
  void waitsForAnOpenSequenceUntilTheExitTimeout() throws Exception {
    stop();
    serve(1);
    succeeds("talk", "\"sequence_id\":5,\"sequence_start\":true");
    long start = System.nanoTime();
    beginToStop();
    closed.get(30, TimeUnit.SECONDS);

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(new ExitTimes(Duration.ofSeconds(1)).requests());
    assertThat(server.isClosedInTime()).isFalse();
  }

  @Test
  void aRequestThatTheExitTimeoutEndsIsToldSo() throws Exception {
    stop();
    serve(1);
    var answer =
        CompletableFuture.supplyAsync(
            () -> {
              try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
                return send(wire, "held", "");
              }
            },
            task -> Thread.ofVirtual().start(task));
    Gate.of("held").awaitBegun(1);
    beginToStop();

    HttpWire.Response ended = answer.get(30, TimeUnit.SECONDS);
    assertThat(ended.status()).isEqualTo(503);
    assertThat(ended.headers()).doesNotContainKey("retry-after"); // it may have run
    assertThat(ended.text())
        .isEqualTo(
            "{\"error\":\"the server stops, and the request has not ended within the exit"
                + " timeout\"}");
    Gate.of("held").openAll();
    closed.get(30, TimeUnit.SECONDS);
    assertThat(server.isClosedInTime()).isFalse();
  }

  /** The successful requests of the model {@code talk}, by the metrics. */
  private static long successes(URI metrics) {
    try (var wire = new HttpWire(metrics)) {
      String page = wire.send("GET", "/metrics", new byte[0], Map.of()).text();
      String series = "nv_inference_request_success{model=\"talk\",version=\"1\"} ";
      return page.lines()
          .filter(line -> line.startsWith(series))
          .mapToLong(line -> Long.parseLong(line.substring(series.length())))
          .sum();
    }
  }

  @Test
  void servesMetricsWhileASequenceIsOpen() throws Exception {
    URI metrics = URI.create("http://127.0.0.1:" + server.metricsPort());
    succeeds("talk", "\"sequence_id\":5,\"sequence_start\":true");
    beginToStop();

    long before = successes(metrics);
    succeeds("talk", "\"sequence_id\":5");
    assertThat(successes(metrics)).isEqualTo(before + 1);
    assertThat(closed).isNotDone();

    succeeds("talk", "\"sequence_id\":5,\"sequence_end\":true");
    closed.get(30, TimeUnit.SECONDS);
    assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> successes(metrics));
  }
}
