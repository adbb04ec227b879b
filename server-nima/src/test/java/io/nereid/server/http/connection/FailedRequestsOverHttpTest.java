package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.frontend.Listener;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener of HTTP when something fails that should not, over sockets. */
@Timeout(60)
class FailedRequestsOverHttpTest {
  private static final byte[] BODY = new byte[10];

  private final LogCapture log = new LogCapture("io.nereid");
  private final AtomicBoolean isClockBroken = new AtomicBoolean();
  private final HttpListener listener;

  FailedRequestsOverHttpTest() throws IOException {
    var limits =
        new ConnectionLimits(
            100,
            2,
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Optional.empty());
    var settings =
        new ListenerSettings(
            "HTTP", new Listener("http", "127.0.0.1", 0, false), HeadLimits.DEFAULT, limits);
    var refusals = new Refusals<>(HttpRefusal.class, "HTTP", this::nanos);
    listener =
        HttpListener.of(settings, Optional.empty(), refusals, FailedRequestsOverHttpTest::handle)
            .start();
  }

  private long nanos() {
    if (isClockBroken.get()) {
      throw new OutOfMemoryError("of a test");
    }
    return 0;
  }

  private static void handle(HttpRequest request, HttpResponse response) throws IOException {
    switch (request.path()) {
      case "/memory" -> throw new OutOfMemoryError("of a test");
      case "/stack" -> throw new StackOverflowError("of a test");
      case "/bug" -> throw new IllegalStateException("of a test");
      case "/begun" -> {
        response.addPart(BODY, BODY.length);
        response.flushParts();
        throw new OutOfMemoryError("of a test");
      }
      default -> response.send(BODY);
    }
  }

  @AfterEach
  void stop() {
    listener.stop(Duration.ZERO);
    log.close();
  }

  private WireConnection connect() throws IOException {
    return new WireConnection(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
  }

  private WireResponse get(String path) throws IOException {
    try (WireConnection connection = connect()) {
      connection.send("GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".formatted(path));
      return connection.receive();
    }
  }

  private void awaitConnections(int count) {
    while (listener.connections() != count) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/memory, 503, the server has no memory left for this now",
    "/stack, 500, unexpected failure: java.lang.StackOverflowError: of a test",
    "/bug, 500, unexpected failure: java.lang.IllegalStateException: of a test",
  })
  void aRequestWhoseHandlerThrowsHasAResponseAndALineInTheLog(String path, int status, String error)
      throws IOException {
    WireResponse response = get(path);

    assertThat(response.status()).isEqualTo(status);
    assertThat(response.body()).isEqualTo("{\"error\":\"" + error + "\"}");
    awaitConnections(0);
    assertThat(log.messages()).containsExactly("a request failed unexpectedly");
    assertThat(get("/").status()).isEqualTo(200);
  }

  @Test
  void aResponseThatWasBegunIsCutOff() throws IOException {
    assertThatIOException().isThrownBy(() -> get("/begun"));
    awaitConnections(0);
    assertThat(log.messages()).containsExactly("a request failed unexpectedly");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r",
        "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r",
        "POST / HTTP/1.0\r\nContent-Length: 3\r\n",
      })
  void aHeadThatEndsEarlyIsTheClientsError(String head) throws Exception {
    for (int length = 1; length <= head.length(); length++) {
      try (WireConnection connection = connect()) {
        connection.send(head.substring(0, length));
        connection.halfClose();

        assertThat(connection.receive().status()).as(head.substring(0, length)).isEqualTo(400);
      }
      awaitConnections(0);
    }
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void connectionsAreAcceptedBehindAnErrorOfTheThreadThatAccepts() throws IOException {
    try (WireConnection first = connect();
        WireConnection second = connect()) {
      awaitConnections(2);
      isClockBroken.set(true);
      try (WireConnection third = connect()) { // is above the limit, which is counted
        assertThatIOException().isThrownBy(third::receive);
      }
      isClockBroken.set(false);
      first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(first.receive().status()).isEqualTo(200);
      second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(second.receive().status()).isEqualTo(200);
    }
    awaitConnections(0);
    assertThat(get("/").status()).isEqualTo(200);
  }

  @Test
  void aListenerThatHasEndedByItselfIsStartedAnew() throws IOException {
    int port = listener.port();
    assertThat(listener.isWorking()).isTrue();
    Objects.requireNonNull(listener.acceptor().socket())
        .close(); // so does Helidon when it gives up
    assertThat(listener.isWorking()).isFalse();
    while (!listener.isWorking()) {
      Thread.onSpinWait();
    }

    assertThat(listener.port()).isEqualTo(port);
    assertThat(get("/").status()).isEqualTo(200);
  }
}
