package io.nereid.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes on an HTTP connection and is no proper request: an answer for it, and the server lives
 * on.
 */
class HttpEdgeTest {
  private static final String INFER = "POST /v2/models/simple/infer HTTP/1.1\r\nHost: x\r\n";

  private static final CheckedBufferPool POOL = new CheckedBufferPool();
  private static InferenceServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    var options = new ServerOptions();
    TckModels.extractTo(directory);
    options.modelRepositories.add(directory);
    options.httpAddress = "127.0.0.1";
    options.httpPort = 0;
    options.allowGrpc = false;
    options.allowMetrics = false;
    server = new InferenceServer(options, POOL);
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
    assertThat(POOL.outstanding()).isZero();
  }

  @Test
  void answersHeadWithoutABody() throws IOException {
    assertThat(send("HEAD /v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 405 ")
        .endsWith("\r\n\r\n");
  }

  @Test
  void refusesAChunkExtension() throws IOException {
    assertThat(send(INFER + "Transfer-Encoding: chunked\r\n\r\n5;x=1\r\nabcde\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("malformed chunk size");
  }

  @Test
  void refusesASmallBodyThatEndsEarly() throws IOException {
    assertThat(send(INFER + "Content-Length: 50\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains("the request body ends early");
  }

  @Test
  void refusesALargeBodyThatEndsEarly() throws IOException {
    assertThat(send(INFER + "Content-Length: 50000\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains("the request body ends early");
  }

  @Test
  void refusesABodyThatNoArrayCouldHold() throws IOException {
    assertThat(send(INFER + "Content-Length: 5000000000\r\n\r\nabc"))
        .startsWith("HTTP/1.1 400 ")
        .contains(
            "Unable to parse Content-Length, value is out of range [ -2147483648, 2147483647 ],"
                + " got: 5000000000");
  }

  @Test
  void answersAMalformedRequestLineInTheFormOfAllErrors() throws IOException {
    assertThat(send("GARBAGE\r\n\r\n")).startsWith("HTTP/1.1 400 ").contains("{\"error\":");
  }

  @Test
  void answersPipelinedRequestsInOrder() throws IOException {
    String live = "GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n";
    String nothing = "GET /v2/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    assertThat(send(live + nothing)).containsSubsequence("HTTP/1.1 200 ", "HTTP/1.1 404 ");
  }

  /** Sends and half-closes; what came back until the server closed. */
  private static String send(String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort())) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
