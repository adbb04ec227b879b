package io.nereid.server.http.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.support.HeldServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The slowest and the failed requests, over a socket. */
@Timeout(60)
class ConsoleRequestsTest {
  private static final String ALL = "/console/data/requests";

  @TempDir private Path folder;
  private HeldServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new HeldServer(
            Files.createDirectory(folder.resolve("models")),
            "",
            "--console=true",
            "--access-log=" + folder.resolve("access.log"));
    server.gate().openAll();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpWire.Response send(String method, String path, String body) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, body.getBytes(UTF_8), Map.of());
    }
  }

  private HttpWire.Response infer(String id, String input) {
    return send(
        "POST",
        "/v2/models/held/infer",
        "{\"id\":\"%s\",\"inputs\":[{\"name\":\"%s\",\"datatype\":\"UINT8\",\"shape\":[2],\"data\":[1,2]}]}"
            .formatted(id, input));
  }

  /** What is kept, once it has a text: a request ends when its response is already on its way. */
  private String await(String path, String text) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      String kept = send("GET", path, "").text();
      if (kept.contains(text)) {
        return kept;
      }
      assertThat(System.nanoTime() - deadline).as("%s in %s", text, kept).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void nothingIsKeptOfRequestsBeforeThatIsAsked() {
    infer("before", "IN0");

    assertThat(send("GET", ALL, "").text())
        .isEqualTo("{\"leftMillis\":0,\"slowest\":[],\"failed\":[]}");
    assertThat(send("POST", ALL, "").text())
        .matches("\\{\"leftMillis\":(59\\d\\d\\d|60000),\"slowest\":\\[],\"failed\":\\[]}");
  }

  @Test
  void aRequestHasTheTimesOfItsStages() {
    send("POST", ALL, "");
    infer("r-1", "IN0");

    assertThat(await(ALL, "r-1"))
        .contains(
            "\"slowest\":[{\"model\":\"held\",\"id\":\"r-1\",\"trace\":\"\",\"failure\":\"\",\"ageMillis\":")
        .contains("\"parts\":[{\"model\":\"held\",\"version\":1,\"cached\":false,\"stages\":{")
        .contains(
            "\"HTTP_RECV_START\":0",
            "\"REQUEST_START\":",
            "\"QUEUE_START\":",
            "\"COMPUTE_START\":",
            "\"COMPUTE_INPUT_END\":",
            "\"COMPUTE_OUTPUT_START\":",
            "\"COMPUTE_END\":",
            "\"HTTP_SEND_END\":")
        .endsWith("\"failed\":[]}");
  }

  @Test
  void aRequestOverGrpcIsShownToo() {
    send("POST", ALL, "");
    var request = ModelInferRequest.newBuilder().setModelName("held").setId("g-1");
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(1);
    var _ =
        GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
            .modelInfer(request.addRawInputContents(ByteString.copyFrom(new byte[] {7})).build());

    assertThat(await(ALL, "g-1")).contains("\"GRPC_WAITREAD_START\":0");
  }

  @Test
  void aRequestThatFailedHasItsReason() {
    send("POST", ALL, "");
    infer("wrong", "IN1");
    send("POST", "/v2/models/held/infer", "{");

    assertThat(await(ALL, "\"id\":\"wrong\"")).contains("IN1").startsWith("{\"leftMillis\":");
    assertThat(await(ALL, "\"version\":0")) // it was never admitted
        .contains("\"failed\":[{\"model\":\"held\",\"id\":\"\",\"trace\":\"\",\"failure\":\"");
  }

  @Test
  void theRequestsOfAModelAreItsOwn() {
    send("POST", ALL + "/held", "");
    send("POST", ALL + "/endless", "");
    infer("r-2", "IN0");

    assertThat(await(ALL + "/held", "r-2")).contains("\"model\":\"held\"");
    assertThat(send("GET", ALL + "/endless", "").text()).contains("\"slowest\":[]");
    assertThat(send("GET", ALL + "/", "").status()).isEqualTo(404);
  }

  @Test
  void theAccessLogNamesNoTraceOfARequestThatIsWatchedAlone() throws IOException {
    send("POST", ALL, "");
    infer("r-3", "IN0");
    await(ALL, "r-3");
    server.close();

    assertThat(Files.readString(folder.resolve("access.log")))
        .contains("\"id\":\"r-3\"")
        .doesNotContain("\"trace\":");
  }
}
