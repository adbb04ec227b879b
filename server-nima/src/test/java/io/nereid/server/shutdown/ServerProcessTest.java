package io.nereid.server.shutdown;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.gate.GateFiles;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as a process: its exit, and clients that die. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ServerProcessTest {
  /** The number of clients to kill; {@code -Dnereid.kills=1000} for a long run. */
  private static final int KILLS = Integer.getInteger("nereid.kills", 5);

  private static final int SIZE = 20_000;
  private static final String CONFIG =
      """
      backend: "gate"
      max_batch_size: 0
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 2 kind: KIND_CPU }
      parameters { key: "gate_files" value { string_value: "true" } }
      """;

  private final GateFiles gate;
  private final ServerProcess server;
  private final ManagedChannel channel;

  ServerProcessTest(@TempDir Path directory) throws Exception {
    gate = new GateFiles(ModelOnDisk.of(directory.resolve("models"), "m", CONFIG).path());
    server = ServerProcess.start(directory, directory.resolve("models"));
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(Condition condition) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      assertThat(System.nanoTime() - deadline).as("still waiting").isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }

  private HttpWire.Response inferOverHttp() {
    return inferOverHttp(server, "");
  }

  /**
   * @param members further members of the request's JSON
   */
  private static HttpWire.Response inferOverHttp(ServerProcess server, String members) {
    byte[] json =
        ("{"
                + members
                + "\"id\":\"h\",\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\",\"shape\":[3],"
                + "\"data\":[1,2,3]}]}")
            .getBytes(UTF_8);
    try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.httpPort()))) {
      return wire.send("POST", "/v2/models/m/infer", json, Map.of());
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  private static ModelInferRequest grpcRequest(int size) {
    var request = ModelInferRequest.newBuilder().setModelName("m").setId("g");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(size);
    return request.addRawInputContents(ByteString.copyFrom(new byte[size])).build();
  }

  @Test
  void aSignalStopsTheServerAfterItsRequestsAndTheExitStatusIsZero() throws Exception {
    server.metricsPort();
    CompletableFuture<HttpWire.Response> http =
        CompletableFuture.supplyAsync(this::inferOverHttp, task -> Thread.ofVirtual().start(task));
    var grpc = GRPCInferenceServiceGrpc.newFutureStub(channel).modelInfer(grpcRequest(3));
    await(() -> gate.entered() == 2);

    server.terminate();
    server.awaitLine("] \"Signal \\(15\\) received\\.\"$");
    server.awaitLine("Waiting for in-flight requests to complete");
    gate.open();

    assertThat(http.get(60, TimeUnit.SECONDS).text())
        .contains("\"id\":\"h\"")
        .contains("\"data\":[1,2,3]");
    assertThat(grpc.get(60, TimeUnit.SECONDS).getId()).isEqualTo("g");
    assertThat(server.exitStatus()).isZero();
    assertThat(server.log()).last().asString().endsWith("] \"stopped\"");
    assertThat(server.log()).noneMatch(line -> line.contains("never released"));
  }

  @Test
  void anInterruptStopsAServerThatAScriptHasStartedInTheBackground(@TempDir Path directory)
      throws Exception {
    try (var other = ServerProcess.startInBackground(directory, gate.model().resolveSibling(""))) {
      other.metricsPort();

      other.interrupt();

      other.awaitLine("Signal \\(2\\) received\\.");
      assertThat(other.exitStatus()).isZero();
    }
  }

  @Test
  void signalsOfLogRotationHaveNoEffectAndTheLogSaysSo() throws Exception {
    server.metricsPort();

    server.signal("HUP"); // without a terminal
    server.awaitLine("Signal \\(1\\) received\\. It has no effect");
    server.signal("USR1");
    server.awaitLine("Signal \\(10\\) received\\. It has no effect");

    gate.open();
    assertThat(inferOverHttp().status()).isEqualTo(200);
    server.terminate();
    assertThat(server.exitStatus()).isZero();
  }

  /** A request of which a part is sent, on a connection that stays open. */
  private Socket halfSent(String part) throws Exception {
    var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort());
    socket.getOutputStream().write(part.getBytes(UTF_8));
    return socket;
  }

  @Test
  void requestsThatAreSentByHalvesDoNotDelayTheStop() throws Exception {
    gate.open();
    String head = "POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n";
    try (Socket idle = halfSent("");
        Socket inHead = halfSent(head);
        Socket inBody = halfSent(head + "\r\n{");
        Socket inChunks =
            halfSent(
                head.replace("Content-Length: 100", "Transfer-Encoding: chunked") + "\r\n5\r\n{");
        Socket kept = halfSent("GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n");
        Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.grpcPort())) {
      assertThat(kept.getInputStream().read()).isEqualTo('H');
      assertThat(inferOverHttp().status()).isEqualTo(200);

      server.terminate();

      assertThat(server.exitStatus()).isZero();
      assertThat(idle.getInputStream().readAllBytes()).isEmpty();
      for (Socket half : List.of(inHead, inBody, inChunks)) {
        assertThat(new String(half.getInputStream().readAllBytes(), UTF_8))
            .startsWith("HTTP/1.1 503 ")
            .containsIgnoringCase("connection: close")
            .contains("the server is stopping");
      }
      assertThat(silent.isConnected()).isTrue();
    }
    assertThat(server.log()).last().asString().endsWith("] \"stopped\"");
  }

  @Test
  void aSecondSignalEndsTheProcessAtOnce() throws Exception {
    server.metricsPort();
    var running = CompletableFuture.supplyAsync(this::inferOverHttp, Thread.ofVirtual()::start);
    await(() -> gate.entered() == 1);
    server.terminate();
    server.awaitLine("Waiting for in-flight requests to complete");

    server.terminate();

    assertThat(server.exitStatus()).isEqualTo(128 + 15);
    assertThat(running).failsWithin(60, TimeUnit.SECONDS);
    assertThat(server.log())
        .last()
        .asString()
        .endsWith("] \"Second signal: exiting immediately.\"");
  }

  @Test
  void theExitStatusIsOneIfASequenceOutlivesTheExitTimeout(@TempDir Path directory)
      throws Exception {
    gate.open();
    Files.writeString(
        gate.model().resolve("config.pbtxt"),
        CONFIG + "sequence_batching { max_sequence_idle_microseconds: 600000000 }");
    try (var other =
        ServerProcess.start(directory, gate.model().resolveSibling(""), "--exit-timeout-secs=1")) {
      other.metricsPort();
      String sequence = "\"parameters\":{\"sequence_id\":5,\"sequence_start\":true},";
      assertThat(inferOverHttp(other, sequence).text()).contains("\"data\":[1,2,3]");

      other.terminate();

      assertThat(other.exitStatus()).isEqualTo(1);
      assertThat(other.log())
          .last()
          .asString()
          .matches("E.* Shutdown\\.java:\\d+] \"Exit timeout expired\\. Exiting immediately\\.\"");
    }
  }

  @Test
  void clientsThatDieDuringARequestLeaveNothingBehind() throws Exception {
    gate.open();
    for (int i = 0; i < KILLS; i++) {
      switch (i % 5) {
        case 0 -> die(SIZE / 2, 0);
        case 1 -> die(SIZE / 2, -1);
        case 2 -> die(SIZE, 0);
        case 3 -> die(SIZE, -1);
        default ->
            assertThat(
                    GRPCInferenceServiceGrpc.newFutureStub(channel)
                        .modelInfer(grpcRequest(SIZE))
                        .cancel(true))
                .isTrue();
      }
    }

    await(() -> metrics().contains("nereid_pool_outstanding_leases 0\n"));
    assertThat(inferOverHttp().text()).contains("\"data\":[1,2,3]");
    assertThat(
            GRPCInferenceServiceGrpc.newBlockingStub(channel)
                .modelInfer(grpcRequest(SIZE))
                .getRawOutputContents(0)
                .size())
        .isEqualTo(SIZE);
    server.terminate();
    assertThat(server.exitStatus()).isZero();
    assertThat(server.log())
        .noneMatch(line -> line.contains("never released") || line.contains("unexpected"));
  }

  private String metrics() {
    try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.metricsPort()))) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  /**
   * Sends the first {@code sent} bytes of a request of {@link #SIZE} bytes and closes the
   * connection.
   *
   * @param linger 0 to reset the connection, -1 to close it orderly
   */
  private void die(int sent, int linger) throws Exception {
    String json =
        "{\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\",\"shape\":[%d],\"parameters\":"
                .formatted(SIZE)
            + "{\"binary_data_size\":%d}}]}".formatted(SIZE);
    String head =
        "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n"
            + "Inference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(json.length(), json.length() + SIZE, json);
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort())) {
      socket.getOutputStream().write(head.getBytes(UTF_8));
      socket.getOutputStream().write(new byte[sent]);
      if (linger >= 0) {
        socket.setSoLinger(true, linger);
      }
    }
  }
}
