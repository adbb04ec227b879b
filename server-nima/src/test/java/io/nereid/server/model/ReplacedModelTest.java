package io.nereid.server.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests whose model is replaced or unloaded after the server has looked it up, and before it has
 * read their bodies. The server sends {@code 100 Continue} between the two.
 */
@Timeout(120)
class ReplacedModelTest {
  private static final String CONFIG =
      """
      backend: "files"
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      """;
  private static final byte[] BODY =
      ("{\"inputs\":[{\"name\":\"IN0\",\"datatype\":\"UINT8\",\"shape\":[1],\"data\":[7]}],"
              + "\"parameters\":{\"binary_data_output\":true}}")
          .getBytes(UTF_8);

  private final ModelOnDisk model;
  private final LocalServer server;
  private final HttpWire control;

  ReplacedModelTest(@TempDir Path repository) throws IOException {
    model =
        ModelOnDisk.named(repository, "m").withConfig(CONFIG).withFile("1/model.txt", "old end");
    server =
        new LocalServer(
            LocalServer.options(repository, "--model-control-mode=explicit", "--load-model=m"),
            new CheckedBufferPool());
    control = new HttpWire(server.http());
  }

  @AfterEach
  void stop() {
    control.close();
    server.close();
  }

  @Test
  void theSuccessorOfAModelAnswersARequestThatWasSentBefore() throws IOException {
    try (var request = new SlowRequest("/v2/models/m/infer")) {
      model.withFile("2/model.txt", "new end");
      control("load");

      HttpWire.Response response = request.finish();

      assertThat(response.text()).contains("\"model_version\":\"2\"", "2/model.txt=new end");
      assertThat(response.status()).isEqualTo(200);
    }
  }

  @Test
  void aRequestForAVersionThatIsUnloadedIsRejected() throws IOException {
    try (var request = new SlowRequest("/v2/models/m/versions/1/infer")) {
      model.withFile("2/model.txt", "new end");
      control("load");

      HttpWire.Response response = request.finish();

      assertThat(response.text())
          .contains("Request for unknown model: 'm' version 1 is not at ready state");
      assertThat(response.status()).isEqualTo(503);
    }
  }

  @Test
  void aRequestForAModelThatIsUnloadedIsRejected() throws IOException {
    try (var request = new SlowRequest("/v2/models/m/infer")) {
      control("unload");

      HttpWire.Response response = request.finish();

      assertThat(response.text())
          .contains("Request for unknown model: 'm' has no available versions");
      assertThat(response.status()).isEqualTo(404);
    }
  }

  /** Loads or unloads the model, and waits until version 1 is closed. */
  private void control(String operation) {
    var done =
        control.send(
            "POST", "/v2/repository/models/m/" + operation, "{}".getBytes(UTF_8), Map.of());
    assertThat(done.status()).as(done.text()).isEqualTo(200);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      String index = control.send("POST", "/v2/repository/index", new byte[0], Map.of()).text();
      if (index.contains("\"version\":\"1\",\"state\":\"UNAVAILABLE\"")) {
        return;
      }
      assertThat(System.nanoTime() - deadline).as(index).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** A request of which the head was sent, and the model was looked up. */
  private final class SlowRequest implements AutoCloseable {
    private final Socket socket;

    SlowRequest(String path) throws IOException {
      socket = new Socket(server.http().getHost(), server.http().getPort());
      socket.setSoTimeout(60_000);
      String head =
          "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
              .formatted(path, BODY.length);
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      var received = new ByteArrayOutputStream();
      while (!received.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
        received.write(socket.getInputStream().read());
      }
      assertThat(received.toString(ISO_8859_1)).startsWith("HTTP/1.1 100");
    }

    /** Sends the body and returns the response. */
    HttpWire.Response finish() throws IOException {
      socket.getOutputStream().write(BODY);
      socket.shutdownOutput();
      return HttpWire.parse(socket.getInputStream().readAllBytes());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
