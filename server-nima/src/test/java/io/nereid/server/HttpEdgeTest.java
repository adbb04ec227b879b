package io.nereid.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.options.ServerOptions;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed requests over HTTP, and the end of connections. */
class HttpEdgeTest {
  private static final String INFER = "POST /v2/models/simple/infer HTTP/1.1\r\nHost: x\r\n";

  private static final CheckedBufferPool POOL = new CheckedBufferPool();
  private static InferenceServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    TckModels.extractTo(directory);
    ServerOptions options =
        LocalServer.options(
            directory, "--allow-grpc=false", "--allow-metrics=true", "--metrics-port=0");
    server = new InferenceServer(options, POOL);
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
    assertThat(POOL.outstanding()).isZero();
  }

  @Test
  void respondsToHeadWithoutABody() throws IOException {
    assertThat(send("HEAD /v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 405 ")
        .endsWith("\r\n\r\n");
  }

  @Test
  void ignoresAChunkExtension() throws IOException {
    assertThat(send(INFER + "Transfer-Encoding: chunked\r\n\r\n5;x=1\r\nabcde\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 500 ")
        .contains("failed to parse the request JSON buffer");
  }

  @Test
  void rejectsASmallBodyThatEndsEarly() throws IOException {
    assertThat(send(INFER + "Content-Length: 50\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains("request body ends after 3 of 50 bytes");
  }

  @Test
  void rejectsALargeBodyThatEndsEarly() throws IOException {
    assertThat(send(INFER + "Content-Length: 50000\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains("request body ends after 3 of 50000 bytes");
  }

  @Test
  void rejectsABodyThatIsLongerThanAnyArray() throws IOException {
    assertThat(send(INFER + "Content-Length: 5000000000\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains(
            "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ],"
                + " got: 5000000000");
  }

  @Test
  void respondsToAMalformedRequestLineWithAJsonError() throws IOException {
    assertThat(send("GARBAGE\r\n\r\n")).startsWith("HTTP/1.1 400 ").contains("{\"error\":");
  }

  @Test
  void respondsToPipelinedRequestsInOrder() throws IOException {
    String live = "GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n";
    String nothing = "GET /v2/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    assertThat(send(live + nothing)).containsSubsequence("HTTP/1.1 200 ", "HTTP/1.1 404 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"close", "Close", "keep-alive, close", "x ,CLOSE", "close\r\nX: y"})
  void closesTheConnectionOfAClientThatAsksForIt(String connection) throws IOException {
    String head = " HTTP/1.1\r\nHost: x\r\nConnection: " + connection + "\r\n";
    String infer = "POST /v2/models/identity_uint8/infer" + head;
    String raw = infer + "Inference-Header-Content-Length: 0\r\n";
    String json =
        "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"UINT8\",\"shape\":[1],\"data\":[7]}]}";
    String large = "Content-Length: 100000\r\n\r\n" + "x".repeat(100_000);
    String chunked = infer + "Transfer-Encoding: chunked\r\n\r\n";

    assertClosed("200", "GET /v2/health/live" + head + "\r\n");
    assertClosed("200", "GET /v2/models/identity_uint8" + head + "\r\n");
    assertClosed("405", "HEAD /v2" + head + "\r\n");
    assertClosed("404", "GET /v2/nothing" + head + "\r\n");
    assertClosed("200", infer + "Content-Length: " + json.length() + "\r\n\r\n" + json);
    assertClosed("500", infer + "Content-Length: 5\r\n\r\n{]xyz");
    assertClosed("200", raw + large);
    assertClosed("404", "POST /v2/nothing" + head + large);
    assertClosed(
        "404",
        "POST /v2/nothing" + head + "Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n");
    assertClosed(
        "200", chunked + Integer.toHexString(json.length()) + "\r\n" + json + "\r\n0\r\n\r\n");
    assertClosed("400", chunked + "-5\r\nabcde\r\n0\r\n\r\n");
  }

  @Test
  void closesTheConnectionAfterAMalformedChunk() throws IOException {
    assertClosed("400", INFER + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":XX0\r\n\r\n");
  }

  @Test
  void keepsTheConnectionOfOtherClients() throws IOException {
    String live = "GET /v2/health/live HTTP/1.1\r\nHost: x\r\n";

    assertThat(send(live + "\r\n" + live + "Connection: keep-alive\r\n\r\n" + live + "\r\n"))
        .containsSubsequence("HTTP/1.1 200 ", "HTTP/1.1 200 ", "HTTP/1.1 200 ");
  }

  @Test
  void closesTheConnectionOfAMetricsClientThatAsksForIt() throws IOException {
    String request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Close\r\n\r\n";

    assertThat(readUntilClosed(server.metricsPort(), request + request))
        .containsOnlyOnce("HTTP/1.1 200 ");
  }

  /** Sends a request twice, and expects one response and the end of the connection. */
  private static void assertClosed(String status, String request) throws IOException {
    String twice = request.length() < 1000 ? request + request : request;

    assertThat(readUntilClosed(server.httpPort(), twice))
        .startsWith("HTTP/1.1 " + status + " ")
        .containsOnlyOnce("HTTP/1.1 ")
        .containsIgnoringCase("\r\nConnection: close\r\n");
  }

  /** Sends bytes and keeps the connection open; returns what the server sends until it closes. */
  private static String readUntilClosed(int port, String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  /** Sends bytes and half-closes; returns what the server sends until it closes. */
  private static String send(String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort())) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
