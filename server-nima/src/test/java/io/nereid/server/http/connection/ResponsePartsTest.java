package io.nereid.server.http.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Responses whose length is not known, over sockets. */
class ResponsePartsTest {
  private final HttpListener listener;

  ResponsePartsTest() throws IOException {
    listener =
        HttpListener.of(
                new ListenerSettings("HTTP", "127.0.0.1", 0),
                Optional.empty(),
                new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime),
                ResponsePartsTest::handle)
            .start();
  }

  /** Responds with what the path says: parts, separated by slashes; numbers are sizes. */
  private static void handle(HttpRequest request, HttpResponse response) throws IOException {
    for (String part : request.path().substring(1).split("/", -1)) {
      byte[] bytes =
          part.matches("\\d+") ? new byte[Integer.parseInt(part)] : part.getBytes(US_ASCII);
      if (bytes.length > 0) {
        response.addPart(bytes, bytes.length);
        response.flushParts();
      }
    }
    response.endParts();
    assertThat(response.partsSize()).isZero();
  }

  @AfterEach
  void stop() {
    listener.stop(Duration.ZERO);
  }

  private WireConnection send(String request) throws IOException {
    var connection =
        new WireConnection(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
    connection.send(request);
    return connection;
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }

  @Test
  void areChunksAndLeaveTheConnectionOpen() throws IOException {
    try (var client = send(get("/a/bc/defghijklmnopqrst"))) {
      WireResponse response = client.receive();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("Transfer-Encoding")).isEqualTo("chunked");
      assertThat(response.headers()).doesNotContainKeys("content-length", "connection");
      assertThat(response.body()).isEqualTo("abcdefghijklmnopqrst");

      client.send(get("/again"));
      assertThat(client.receive().body()).isEqualTo("again");
    }
  }

  @Test
  void mayBeNone() throws IOException {
    try (var client = send(get("/") + get("/next"))) {
      assertThat(client.receive().body()).isEmpty();
      assertThat(client.receive().body()).isEqualTo("next");
    }
  }

  @Test
  void mayBeLarge() throws IOException {
    try (var client = send(get("/5000000/x"))) {
      assertThat(client.receive().body()).hasSize(5_000_001).endsWith("x");
    }
  }

  @Test
  void endWithTheConnectionIfTheClientAsksForIt() throws IOException {
    try (var client = send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")) {
      WireResponse response = client.receive();
      assertThat(response.header("Connection")).isEqualTo("close");
      assertThat(response.body()).isEqualTo("a");
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void areTheRestOfAConnectionOfHttp10() throws IOException {
    try (var client = send("GET /a/bc HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")) {
      assertThat(client.rest())
          .startsWith("HTTP/1.1 200 OK\r\n")
          .contains("Connection: close\r\n")
          .doesNotContain("Transfer-Encoding", "Content-Length")
          .endsWith("\r\n\r\nabc");
    }
  }

  @Test
  void areNotSentToHead() throws IOException {
    try (var client = send("HEAD /a/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")) {
      assertThat(client.rest()).contains("Transfer-Encoding: chunked\r\n").endsWith("\r\n\r\n");
    }
  }
}
