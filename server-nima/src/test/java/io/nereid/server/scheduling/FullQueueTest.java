package io.nereid.server.scheduling;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.HeldServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests of a model in whose queue one may wait. Sources: Triton, Queue Policy; QA L0_http. */
@Timeout(120)
class FullQueueTest {
  private HeldServer server;
  private CompletableFuture<HttpWire.Response> running;

  @BeforeEach
  void block(@TempDir Path directory) throws IOException {
    server =
        new HeldServer(
            directory, "dynamic_batching { default_queue_policy { max_queue_size: 1 } }");
    running = send("running");
    server.gate().awaitBegun(1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private CompletableFuture<HttpWire.Response> send(String id) {
    return CompletableFuture.supplyAsync(
        () -> overHttp(id), task -> Thread.ofVirtual().start(task));
  }

  private HttpWire.Response overHttp(String id) {
    String json =
        ("{\"id\":\"%s\",\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\",\"shape\":[1],"
                + "\"data\":[1]}]}")
            .formatted(id);
    try (var wire = new HttpWire(server.http())) {
      return wire.send(
          "POST", "/v2/models/" + HeldServer.HELD + "/infer", json.getBytes(UTF_8), Map.of());
    }
  }

  private void overGrpc(String id) {
    var request = ModelInferRequest.newBuilder().setModelName(HeldServer.HELD).setId(id);
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(1);
    request.addRawInputContents(ByteString.copyFrom(new byte[1]));
    var _ =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .withDeadlineAfter(60, TimeUnit.SECONDS)
            .modelInfer(request.build());
  }

  @Test
  void rejectsTheNextRequestOverBothProtocols() throws Exception {
    var a = send("a"); // one of the two waits
    var b = send("b");
    CompletableFuture.anyOf(a, b).get(60, TimeUnit.SECONDS);
    boolean isFirst = a.isDone();
    var rejected = isFirst ? a : b;
    var waiting = isFirst ? b : a;

    assertThat(rejected.join().status()).isEqualTo(503);
    assertThat(rejected.join().text())
        .isEqualTo(
            "{\"error\":\"[request id: %s] Exceeds maximum queue size\"}"
                .formatted(isFirst ? "a" : "b"));
    assertThat(overHttp("next").status()).isEqualTo(503);
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> overGrpc("g"))
        .satisfies(refused -> {
          assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
          assertThat(refused.getStatus().getDescription())
              .isEqualTo("[request id: g] Exceeds maximum queue size");
        });
    assertThat(waiting).isNotDone();

    server.gate().openAll();
    for (var served : List.of(running, waiting)) {
      assertThat(served.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
    assertThat(overHttp("later").status()).isEqualTo(200);
  }
}
