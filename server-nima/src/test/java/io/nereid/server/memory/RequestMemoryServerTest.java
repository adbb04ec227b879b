package io.nereid.server.memory;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What bodies that are announced, or come in part, take of the memory for tensors. */
class RequestMemoryServerTest {
  private static final long POOL = 1 << 30;

  @TempDir private Path repository;
  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL);
  private @Nullable LocalServer server;

  private void start(String... options) throws IOException {
    ModelOnDisk.of(
            repository,
            "echo",
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            output { name: "OUTPUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
            """)
        .withDirectory("1");
    ModelOnDisk.of(
            repository,
            "text",
            """
            backend: "tck_echo"
            input { name: "INPUT0" data_type: TYPE_STRING dims: [ 1 ] }
            output { name: "OUTPUT0" data_type: TYPE_STRING dims: [ 1 ] }
            """)
        .withDirectory("1");
    var all = new ArrayList<>(List.of("--allow-metrics=true", "--metrics-port=0"));
    all.add("--max-tensor-memory=" + POOL);
    all.addAll(List.of(options));
    server = new LocalServer(LocalServer.options(repository, all.toArray(String[]::new)), pool);
  }

  private LocalServer running() {
    return Objects.requireNonNull(server, "not started");
  }

  @AfterEach
  void stop() {
    running().close();
  }

  private WireConnection connect() throws IOException {
    return new WireConnection(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), running().http().getPort()));
  }

  /** The head of a request, and the JSON of its body, for a tensor of that size. */
  private static String head(long tensorBytes) {
    String json =
        """
        {"inputs":[{"name":"INPUT0","shape":[%d],"datatype":"UINT8",\
        "parameters":{"binary_data_size":%d}}],"parameters":{"binary_data_output":true}}\
        """
            .formatted(tensorBytes, tensorBytes);
    return "POST /v2/models/echo/infer HTTP/1.1\r\nHost: h\r\nInference-Header-Content-Length: "
        + json.length()
        + "\r\nContent-Length: "
        + (json.length() + tensorBytes)
        + "\r\n\r\n"
        + json;
  }

  private String metrics() {
    try (var wire = new HttpWire(running().metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(100_000);
    }
  }

  /** Clients announce 13 GB together, and send a byte each. */
  @Test
  void announcedBodiesTakeNoMemoryButForWhatHasCome() throws IOException {
    start();
    List<WireConnection> clients = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      WireConnection client = connect();
      client.send(head(66_000_000));
      clients.add(client);
    }
    await(() -> pool.outstanding() == 200);

    assertThat(pool.heldBytes()).isLessThan(64 << 20);
    try (WireConnection good = connect()) {
      good.send(head(600_000) + "x".repeat(600_000));
      assertThat(good.receive().status()).isEqualTo(200);
    }

    for (WireConnection client : clients) {
      client.close();
    }
    await(() -> pool.outstanding() == 0);
    await(() -> metrics().contains("\nnereid_request_memory_bytes 0\n")); // counted a moment longer
    assertThat(metrics()).contains("\nnereid_pool_refused_leases_total 0\n");
  }

  @ParameterizedTest
  @CsvSource({
    "700000000,the request body of ",
    "3000000000,'Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ]'"
  })
  void aBodyThatCanNeverBeHeldIsRefusedBeforeItIsRead(long byteSize, String message)
      throws IOException {
    start();
    try (WireConnection client = connect()) {
      client.send(head(byteSize));

      WireResponse refused = client.receive();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains(message);
      assertThat(client.rest()).as("what follows on the connection").isEmpty();
    }
    assertThat(pool.heldBytes()).isZero();
  }

  @Test
  void aClientThatHasItsShareIsToldWhenToTryAgain() throws IOException {
    start("--max-client-memory=3000000");
    int size = 1_900_000;
    try (WireConnection slow = connect()) {
      slow.send(head(size) + "x".repeat(size - 1));
      await(() -> metrics().matches("(?s).*\nnereid_request_memory_bytes 19\\d{5}\n.*"));

      try (WireConnection refused = connect()) {
        refused.send(head(size) + "x".repeat(size));
        WireResponse response = refused.receive();
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.header("Retry-After")).isEqualTo("1");
        assertThat(response.body()).contains("the client's share of request memory is exhausted: ");
      }
      assertThat(metrics()).contains("\nnereid_request_memory_refused_total{limit=\"client\"} 1\n");

      slow.send("x");
      assertThat(slow.receive().status()).isEqualTo(200);
    }
    try (WireConnection again = connect()) {
      again.send(head(size) + "x".repeat(size));
      assertThat(again.receive().body()).hasSizeGreaterThan(size);
    }
  }

  @Test
  void aPoolAtItsLimitRefusesWithTheSameStatus() throws IOException {
    start();
    try (var all = pool.lease(POOL);
        WireConnection refused = connect()) {
      assertThat(all.segment().byteSize()).isEqualTo(POOL);
      refused.send(head(1) + "x");

      WireResponse response = refused.receive();
      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(response.body()).contains("tensor memory is exhausted: ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "generate_stream"})
  void whatAClientDoesNotReadIsCountedForIt(String method) throws IOException {
    int size = 16_000_000; // more than sockets keep
    start();
    String body = "{\"INPUT0\":\"" + "x".repeat(size) + "\"}";
    String head =
        "POST /v2/models/text/%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, body.length());
    try (var client = new Socket(InetAddress.getLoopbackAddress(), running().http().getPort())) {
      client.getOutputStream().write((head + body).getBytes(US_ASCII));
      InputStream response = client.getInputStream();
      assertThat(new String(response.readNBytes(12), US_ASCII)).isEqualTo("HTTP/1.1 200");

      assertThat(metrics()).containsPattern("\nnereid_request_memory_bytes 16\\d{6}\n");

      String rest = new String(response.readAllBytes(), US_ASCII);
      assertThat(rest.chars().filter(letter -> letter == 'x').count()).isGreaterThan(size - 1);
      assertThat(rest).endsWith("0\r\n\r\n");
    }
    await(() -> metrics().contains("\nnereid_request_memory_bytes 0\n"));
  }
}
