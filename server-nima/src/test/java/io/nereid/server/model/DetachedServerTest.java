package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import io.nereid.engine.call.ScriptedBackend;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.server.LocalServer;
import io.nereid.server.memory.RegionClient;
import io.nereid.server.memory.RegionClient.Input;
import io.nereid.server.memory.RegionClient.Output;
import io.nereid.server.memory.RegionClient.Protocol;
import io.nereid.server.memory.RegionClient.Result;
import io.nereid.server.memory.RegionClient.Slice;
import io.nereid.spi.Batch;
import io.nereid.spi.CallResponse;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.ModelCall;
import io.nereid.spi.Results;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.SharedMemoryObject;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Detached requests of clients that leave, of a server that stops, and in the metrics. */
@Timeout(120)
class DetachedServerTest {
  private static final String MODEL =
      """
      backend: "scripted"
      input { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  private static final String JSON =
      "{\"inputs\":[{\"name\":\"IN\",\"datatype\":\"UINT8\",\"shape\":[1],\"data\":[7]}]}";

  private final BlockingQueue<DetachedRequest> detached = new LinkedBlockingQueue<>();
  private LocalServer server;

  @BeforeEach
  void start(@TempDir Path repository) throws IOException {
    ModelOnDisk.of(repository, "later", MODEL);
    ScriptedBackend.script("later", (_, results) -> detached.add(results.detach(0)));
    ModelOnDisk.of(
        repository,
        "caller",
        MODEL + "parameters { key: \"calls\" value { string_value: \"later\" } }");
    ScriptedBackend.script("caller", DetachedServerTest::call);
    server =
        new LocalServer(
            LocalServer.options(
                repository,
                "--allow-client-shm=true",
                "--allow-metrics=true",
                "--metrics-address=127.0.0.1",
                "--metrics-port=0"),
            new CheckedBufferPool());
  }

  @AfterEach
  void stop() {
    server.close();
    ScriptedBackend.clear();
  }

  private static void call(Batch batch, Results results) {
    Tensor in = batch.input(0, "IN").orElseThrow();
    CallResponse response = batch.calls(0).infer(ModelCall.to("later").input("IN", in).build());
    results.give(0, response.output("OUT"), response.keep());
  }

  private DetachedRequest take() throws InterruptedException {
    return Objects.requireNonNull(detached.poll(60, TimeUnit.SECONDS), "nothing was detached");
  }

  /** Answers with the input. */
  private static void answer(DetachedRequest request) {
    Tensor in = request.input("IN").orElseThrow();
    request.allocate("OUT", in.dataType(), in.shape()).copyFrom(in.data());
    request.send();
  }

  private CompletableFuture<HttpWire.Response> sendOverHttp(String model) {
    URI address = server.http();
    return CompletableFuture.supplyAsync(
        () -> {
          try (var wire = new HttpWire(address)) {
            return wire.send(
                "POST", "/v2/models/%s/infer".formatted(model), JSON.getBytes(UTF_8), Map.of());
          }
        },
        task -> Thread.ofPlatform().start(task));
  }

  private ListenableFuture<ModelInferResponse> sendOverGrpc() {
    var request = ModelInferRequest.newBuilder().setModelName("later");
    request.addInputsBuilder().setName("IN").setDatatype("UINT8").addShape(1);
    request.addRawInputContents(ByteString.copyFrom(new byte[] {7}));
    return GRPCInferenceServiceGrpc.newFutureStub(server.channel()).modelInfer(request.build());
  }

  private static void awaitCancellation(DetachedRequest request) throws InterruptedException {
    var cancelled = new CountDownLatch(1);
    request.onCancel(cancelled::countDown);
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(request.isCancelled()).isTrue();
    assertThat(request.input("IN")).as("valid until the end").isPresent();
    request.fail(InferenceException.cancelled());
  }

  @Test
  void aClientOfHttpThatDisconnectsCancelsItsDetachedRequest() throws Exception {
    DetachedRequest request;
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.http().getPort())) {
      String head =
          "POST /v2/models/later/infer HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
              .formatted(JSON.length());
      socket.getOutputStream().write((head + JSON).getBytes(UTF_8));
      request = take();
      assertThat(request.isCancelled()).isFalse();
    }

    awaitCancellation(request);
  }

  @Test
  void aCallOfGrpcThatIsCancelledCancelsItsDetachedRequest() throws Exception {
    ListenableFuture<ModelInferResponse> sent = sendOverGrpc();
    DetachedRequest request = take();
    assertThat(request.isCancelled()).isFalse();

    sent.cancel(true);

    awaitCancellation(request);
  }

  @Test
  void aServerThatStopsAnswersItsDetachedRequestsOfBothProtocols() throws Exception {
    CompletableFuture<HttpWire.Response> http = sendOverHttp("later");
    DetachedRequest first = take();
    ListenableFuture<ModelInferResponse> grpc = sendOverGrpc();
    DetachedRequest second = take();
    CompletableFuture<Void> closed = beginToStop();

    assertThat(closed).isNotDone();
    answer(first);
    answer(second);

    assertThat(http.get(60, TimeUnit.SECONDS).text()).contains("\"data\":[7]");
    assertThat(grpc.get(60, TimeUnit.SECONDS).getRawOutputContents(0).byteAt(0))
        .isEqualTo((byte) 7);
    closed.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aServerThatStopsFinishesTheCallsOfItsRequests() throws Exception {
    CompletableFuture<HttpWire.Response> sent = sendOverHttp("caller");
    DetachedRequest called = take();
    CompletableFuture<Void> closed = beginToStop();

    answer(called);

    assertThat(sent.get(60, TimeUnit.SECONDS).text()).contains("\"data\":[7]");
    closed.get(60, TimeUnit.SECONDS);
  }

  /** Stops the server on another thread, and returns once it is not ready. */
  private CompletableFuture<Void> beginToStop() {
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(server::stop, task -> Thread.ofPlatform().start(task));
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (isReady()) {
      assertThat(System.nanoTime() - deadline).as("is still ready").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
    return closed;
  }

  private boolean isReady() {
    try (var wire = new HttpWire(server.http())) {
      return wire.send("GET", "/v2/health/ready", new byte[0], Map.of()).status() == 200;
    } catch (UncheckedIOException refused) { // by a server that stops
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource
  @EnabledOnOs(OS.LINUX)
  void inputsInSharedMemoryStayUntilTheDetachedRequestEnds(Protocol protocol) throws Exception {
    RegionClient client = protocol.of(server);
    try (var in = SharedMemoryObject.of((byte) 1, (byte) 2);
        var out = SharedMemoryObject.create(2)) {
      client.register("in", in.key(), 0, 2);
      client.register("out", out.key(), 0, 2);
      CompletableFuture<Result> result =
          CompletableFuture.supplyAsync(
              () ->
                  client.infer(
                      "later",
                      List.of(Input.in(new Slice("in", 0, 2), "IN", "UINT8", 2)),
                      List.of(new Output("OUT", new Slice("out", 0, 2)))),
              task -> Thread.ofVirtual().start(task));
      DetachedRequest request = take();
      client.unregister("");
      assertThat(client.regions()).containsExactly("in", "out");
      answer(request);

      assertThat(result.get(60, TimeUnit.SECONDS).error()).isEmpty();
      assertThat(out.read(0, 2)).containsExactly(1, 2);
      assertThat(client.regions()).isEmpty();
    }
  }

  @Test
  void theMetricsCountDetachedRequestsUntilTheyEnd() throws Exception {
    CompletableFuture<HttpWire.Response> sent = sendOverHttp("later");
    DetachedRequest request = take();
    awaitDetached(1);

    answer(request);

    assertThat(sent.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    awaitDetached(0);
  }

  /** Waits: a request is counted once its execution has returned. */
  private void awaitDetached(int count) {
    String line =
        "nereid_inference_detached_requests{model=\"later\",version=\"1\"} %d".formatted(count);
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (true) {
      String page;
      try (var wire = new HttpWire(server.metrics())) {
        page = wire.send("GET", "/metrics", new byte[0], Map.of()).text();
      }
      if (page.lines().anyMatch(line::equals)) {
        return;
      }
      assertThat(System.nanoTime() - deadline).as("no line '%s' in %s", line, page).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
