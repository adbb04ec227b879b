package io.nereid.server.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.support.SlowLoadBackend;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loads of clients, told apart by their addresses, over both protocols. */
@Timeout(120)
class ClientLoadServerTest {
  private static final String QUICK =
      """
      backend: "tck_echo"
      input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      instance_group { count: 1 kind: KIND_CPU }
      """;

  @Test
  void aClientHasAShareOfTheLoadsAndALimit(@TempDir Path repository) throws Exception {
    ModelOnDisk.of(repository, "slow", SlowLoadBackend.CONFIG);
    ModelOnDisk.of(repository, "own", QUICK);
    ModelOnDisk.of(repository, "others", QUICK);
    var options =
        LocalServer.options(
            repository,
            "--model-control-mode=explicit",
            "--model-load-thread-count=2",
            "--client-load-timeout-secs=8");
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      URI http = server.http();
      CountDownLatch begun = SlowLoadBackend.nextLoad();
      var slow = CompletableFuture.supplyAsync(() -> load(http, "slow"));
      begun.await();

      var own =
          CompletableFuture.supplyAsync(() ->
              GRPCInferenceServiceGrpc.newBlockingStub(server.channel())
                  .repositoryModelLoad(
                      RepositoryModelLoadRequest.newBuilder().setModelName("own").build()));
      String others = loadFrom("127.0.0.2", http, "others");

      assertThat(others).startsWith("HTTP/1.1 200 ");
      assertThat(own).isNotDone();
      assertThat(slow.join().status()).isEqualTo(400);
      assertThat(slow.join().text()).contains("the limit is --client-load-timeout-secs=8");
      assertThat(own.join()).isNotNull();
    }
  }

  private static HttpWire.Response load(URI http, String model) {
    try (var wire = new HttpWire(http)) {
      return wire.send("POST", "/v2/repository/models/" + model + "/load", new byte[0], Map.of());
    }
  }

  /** The response to a load by a client with another address. */
  private static String loadFrom(String address, URI http, String model) {
    try (var socket = new Socket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
      socket.connect(new InetSocketAddress(http.getHost(), http.getPort()));
      String request =
          "POST /v2/repository/models/%s/load HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
              .formatted(model);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
