package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.HeldServer;
import io.nereid.tck.gate.ExecutedRequest;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The queue of a model is fair by client, over both protocols. */
@Timeout(120)
class FairnessServerTest {
  private static final int BYTES = 8;

  @TempDir Path directory;

  @SuppressWarnings("NullAway.Init") // by each test
  private HeldServer server;

  private final List<CompletableFuture<Integer>> answers = new ArrayList<>();
  private int sent;

  /** Starts a server whose instance executes a request, and goes on doing so. */
  private void start(String option) throws IOException {
    server = new HeldServer(directory, "", option, "--allow-metrics=true", "--metrics-port=0");
    begin("127.0.0.1", "running", "");
    server.gate().awaitBegun(1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void begin(String address, String id, String fields) {
    answers.add(
        CompletableFuture.supplyAsync(
            () -> exchange(address, id, fields), task -> Thread.ofVirtual().start(task)));
    sent++;
  }

  /** Sends a request, and waits until it is in the queue. */
  private void overHttp(String address, String id, String fields) {
    begin(address, id, fields);
    awaitQueued();
  }

  /** Waits until all but the one that is executed are in the queue. */
  private void awaitQueued() {
    String queued =
        "nv_inference_pending_request_count{model=\"held\",version=\"1\"} " + (sent - 1);
    try (var metrics = new HttpWire(server.metrics())) {
      while (!metrics.send("GET", "/metrics", new byte[0], Map.of()).text().contains(queued)) {
        Thread.onSpinWait();
      }
    }
  }

  private int exchange(String address, String id, String fields) {
    try (var socket =
        new Socket("127.0.0.1", server.http().getPort(), InetAddress.getByName(address), 0)) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write(HeldServer.request(HeldServer.HELD, id, BYTES, "Connection: close\r\n" + fields));
      return HttpWire.parse(socket.getInputStream().readAllBytes()).status();
    } catch (IOException failed) {
      throw new AssertionError(id, failed);
    }
  }

  private void overGrpc(String key, String id) {
    var request = ModelInferRequest.newBuilder().setModelName(HeldServer.HELD).setId(id);
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(BYTES);
    request.addRawInputContents(ByteString.copyFrom(new byte[BYTES]));
    var headers = new Metadata();
    headers.put(Metadata.Key.of("x-api-key", Metadata.ASCII_STRING_MARSHALLER), key);
    var _ =
        GRPCInferenceServiceGrpc.newFutureStub(server.channel())
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .modelInfer(request.build());
    sent++;
    awaitQueued();
  }

  /** Executes all requests, and returns them in order. */
  private List<String> executed() throws Exception {
    server.gate().openAll();
    for (CompletableFuture<Integer> answer : answers) {
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(200);
    }
    return server.gate().awaitBegun(sent).stream()
        .flatMap(execution -> execution.requests().stream())
        .map(ExecutedRequest::id)
        .toList();
  }

  @Test
  void addressesAreServedRoundRobin() throws Exception {
    start("--max-client-requests=4");
    for (int i = 1; i <= 3; i++) {
      overHttp("127.0.0.1", "greedy" + i, "");
    }
    overHttp("127.0.0.2", "modest", "");

    assertThat(executed()).containsExactly("running", "modest", "greedy1", "greedy2", "greedy3");
  }

  @Test
  void clientsThatAHeaderNamesAreServedRoundRobinOverBothProtocols() throws Exception {
    start("--client-header=X-Api-Key");
    overHttp("127.0.0.1", "a1", "x-api-key: a\r\n");
    overGrpc("a", "a2");
    overGrpc("b", "b1");
    overHttp("127.0.0.1", "c1", "X-API-KEY: c\r\n");
    overHttp("127.0.0.1", "b2", "x-api-key: b\r\n");

    assertThat(executed()).containsExactly("running", "a1", "b1", "c1", "a2", "b2");
  }

  @Test
  void aClientHasNoMoreRequestsWaitingThanTheOperatorAllows() throws Exception {
    start("--max-client-requests=2");
    overHttp("127.0.0.1", "waiting1", "");
    overHttp("127.0.0.1", "waiting2", "");

    assertThat(exchange("127.0.0.1", "one too many", "")).isEqualTo(429);
    overHttp("127.0.0.2", "other", "");
    assertThat(executed()).hasSize(4);
  }

  @Test
  void aClientHasHalfOfTheRequestsInFlightOverHttp() throws Exception {
    start("--http-max-requests=4");
    overHttp("127.0.0.1", "second", "");

    assertThat(exchange("127.0.0.1", "one too many", "")).isEqualTo(429);
    overHttp("127.0.0.2", "other", "");
    assertThat(executed()).hasSize(3);
  }
}
