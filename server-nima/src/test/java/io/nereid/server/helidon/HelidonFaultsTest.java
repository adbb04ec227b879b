package io.nereid.server.helidon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.helidon.common.Version;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * What is wrong in Helidon's HTTP/1.1, and why this server reads requests itself. A test that fails
 * after an upgrade names the version that has mended a fault: then its section in {@code
 * docs/measurements/helidon.md} says so, and what avoids it here may go.
 */
class HelidonFaultsTest {
  private static final String HOST = " HTTP/1.1\r\nHost: x\r\n";
  private static final String CHUNKED = "POST /" + HOST + "Transfer-Encoding: chunked\r\n\r\n";

  private final LogCapture log = new LogCapture("io.helidon.webserver");
  private final StockServer server = new StockServer();

  @BeforeEach
  void start() {
    assertThat(server.isRunning()).isTrue();
  }

  @AfterEach
  void stop() {
    server.close();
    log.close();
  }

  /** The description of an assertion that holds as long as Helidon has the fault. */
  private static String mended(String section) {
    return "mended in Helidon %s: docs/measurements/helidon.md, '%s'"
        .formatted(Version.VERSION, section);
  }

  private WireConnection send(String bytes) throws IOException {
    var connection = new WireConnection(server.address());
    connection.send(bytes);
    return connection;
  }

  /** The first response to some bytes. */
  private WireResponse respond(String bytes) throws IOException {
    try (WireConnection connection = send(bytes)) {
      return connection.receive();
    }
  }

  @Test
  void theConnectionStaysOpenBehindConnectionClose() throws IOException {
    try (WireConnection connection = send("GET /a" + HOST + "Connection: close\r\n\r\n")) {
      assertThat(connection.receive().header("Connection")).isEqualTo("close");
      connection.send("GET /b" + HOST + "\r\n");

      assertThat(connection.receive().body())
          .as(mended("A connection stays open"))
          .isEqualTo("/b ");
    }
  }

  @Test
  void requestsOfHttp10AreRejected() throws IOException {
    assertThat(respond("GET / HTTP/1.0\r\nHost: x\r\n\r\n").status())
        .as(mended("HTTP/1.0"))
        .isEqualTo(505);
  }

  @Test
  void targetsInAbsoluteFormAreTakenForPaths() throws IOException {
    assertThat(respond("GET http://x/v2" + HOST + "\r\n").body())
        .as(mended("Targets in absolute form"))
        .isNotEqualTo("/v2 ");
  }

  @Test
  void relativeTargetsAreAccepted() throws IOException {
    assertThat(respond("GET a" + HOST + "\r\n").body())
        .as(mended("Relative targets"))
        .isEqualTo("a ");
  }

  @Test
  void anythingEndsAChunk() throws IOException {
    assertThat(respond(CHUNKED + "5\r\nabcdeXX0\r\n\r\n").body())
        .as(mended("Anything ends a chunk"))
        .isEqualTo("/ abcde");
  }

  /** Without the end of the input, the client gets no response at all. */
  @Test
  void chunkExtensionsAreRejected() throws Exception {
    try (WireConnection connection = send(CHUNKED + "5;a=b\r\nabcde\r\n0\r\n\r\n")) {
      connection.halfClose();

      assertThat(connection.receive().status()).as(mended("Chunk extensions")).isEqualTo(500);
    }
  }

  @Test
  void trailersAreRejected() throws Exception {
    try (WireConnection connection = send(CHUNKED + "5\r\nabcde\r\n0\r\nX: y\r\n\r\n")) {
      connection.halfClose();

      assertThat(connection.receive().status()).as(mended("Trailers")).isNotEqualTo(200);
    }
  }

  @Test
  void theConnectionGoesOnBehindAMalformedChunk() throws IOException {
    try (WireConnection connection = send(CHUNKED + "5\nabcde\r\n0\r\n\r\n")) {
      assertThat(connection.receive().status()).isEqualTo(500);
      connection.send("GET /b" + HOST + "\r\n");

      assertThat(connection.receive().body())
          .as(mended("A connection goes on behind a malformed chunk"))
          .isEqualTo("/b ");
    }
  }

  @Test
  void theLineOfAChunkSizeMayHaveAnyLength() throws IOException {
    String zeros = "0".repeat(1 << 20);

    assertThat(respond(CHUNKED + zeros + "5\r\nabcde\r\n0\r\n\r\n").body())
        .as(mended("Lines without a limit"))
        .isEqualTo("/ abcde");
  }

  @Test
  void emptyLinesBeforeARequestAreRejected() throws IOException {
    assertThat(respond("\r\nGET /" + HOST + "\r\n").status())
        .as(mended("Empty lines before a request"))
        .isEqualTo(400);
  }

  @Test
  void aResponseToHeadHasABody() throws IOException {
    try (WireConnection connection =
        send("HEAD /" + HOST + "\r\nGET /b" + HOST + "Connection: close\r\n\r\n")) {
      connection.receive(); // with a body, against the standard

      assertThat(connection.receive().body())
          .as(mended("The response to HEAD has a body"))
          .isEqualTo("/b ");
    }
  }

  @Test
  void aClientThatLeavesWithinAHeadIsLoggedWithATrace() throws Exception {
    try (WireConnection connection = send("GET /" + HOST)) {
      connection.halfClose();
      connection.rest();
    }
    assertThatATraceIsLogged("A trace for each client that leaves");
  }

  @Test
  void aClientThatLeavesWithinABodyIsLoggedWithATrace() throws Exception {
    try (WireConnection connection = send(CHUNKED + "5\r\nab")) {
      connection.halfClose();
      connection.rest();
    }
    assertThatATraceIsLogged("A trace for each client that leaves");
  }

  /** Records are written after the response, by the thread of the connection. */
  private void assertThatATraceIsLogged(String section) {
    server.close(); // ends when the connections' threads have ended
    assertThat(log.records())
        .as(mended(section))
        .anySatisfy((LogRecord written) -> {
          assertThat(written.getLevel()).isEqualTo(Level.WARNING);
          assertThat(written.getThrown()).isNotNull();
        });
  }

  @Test
  void aHeadHasNoDeadline() throws IOException {
    try (var impatient =
            new StockServer(settings ->
                settings
                    .idleConnectionTimeout(Duration.ofMillis(100))
                    .idleConnectionPeriod(Duration.ofMillis(50)));
        var half = new WireConnection(impatient.address())) {
      half.send("GET /half" + HOST);
      try (var idle = new WireConnection(impatient.address())) {
        assertThat(idle.rest()).isEmpty(); // closed after the time that a connection may be idle
      }
      half.send("\r\n");

      assertThat(half.receive().body())
          .as(mended("Neither heads nor bodies have a deadline"))
          .isEqualTo("/half ");
    }
  }

  @Test
  void aClosedListenerLeavesAThread() throws InterruptedException {
    List<Thread> timers =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("helidon-idle-connection-timer"))
            .toList();
    server.close();
    System.gc();

    assertThat(timers).isNotEmpty();
    timers.getFirst().join(Duration.ofMillis(200));
    assertThat(timers).as(mended("A closed listener leaves a thread")).allMatch(Thread::isAlive);
  }

  @Test
  void aListenerWithoutItsPortIsOnlyLogged() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var second = new StockServer(settings -> settings.port(taken.getLocalPort()))) {
      assertThat(second.isRunning()).as(mended("A port that is taken is only logged")).isFalse();
    } catch (UncheckedIOException | IllegalStateException thrown) {
      throw new AssertionError(mended("A port that is taken is only logged"), thrown);
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aListenerEndsWhenTooManyFilesAreOpen() throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 400 && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StockServer.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<WireConnection> clients = new ArrayList<>();
    try (var output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      var address =
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), Integer.parseInt(output.readLine()));
      assertThatIOException()
          .as(mended("A listener ends when too many files are open"))
          .isThrownBy(() -> {
            for (int i = 0; i < 700; i++) {
              var client = new WireConnection(address);
              clients.add(client);
              client.send("GET /" + HOST + "\r\n");
              client.receive();
            }
          });
      for (WireConnection client : clients) {
        client.close();
      }

      assertThatIOException() // it does not recover
          .as(mended("A listener ends when too many files are open"))
          .isThrownBy(() -> new WireConnection(address).close());
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
