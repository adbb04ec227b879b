package io.nereid.server.grpc;

import static io.nereid.server.grpc.GrpcTestServer.EMPTY;
import static io.nereid.server.grpc.GrpcTestServer.STREAM;
import static io.nereid.server.grpc.GrpcTestServer.assertServes;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.server.grpc.limits.GrpcLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pings of both sides, and the age of connections, tried frame by frame. Sources: Triton, help of
 * its options; QA L0_grpc, keepalive.
 */
@Timeout(60)
class GrpcKeepAliveTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(100);

  /** The shortest time without a frame after which grpc-java sends a ping. */
  private static final Duration IDLE = Duration.ofSeconds(10);

  /** The shortest age that grpc-java takes; it adds or subtracts up to a tenth. */
  private static final Duration AGE = Duration.ofSeconds(1);

  private static GrpcTestServer start(GrpcKeepAlive keepAlive) throws IOException {
    return new GrpcTestServer(GrpcLimits.DEFAULT, keepAlive, new FakeModelControl());
  }

  private static GrpcKeepAlive pings(Duration time, Duration timeout) {
    return new GrpcKeepAlive(time, timeout, false, LONG, Optional.empty(), Optional.empty());
  }

  private static GrpcKeepAlive clientPings(boolean withoutCalls, Duration minInterval) {
    return new GrpcKeepAlive(
        LONG, LONG, withoutCalls, minInterval, Optional.empty(), Optional.empty());
  }

  private static GrpcKeepAlive age(Optional<Duration> grace) {
    return new GrpcKeepAlive(LONG, LONG, false, LONG, Optional.of(AGE), grace);
  }

  private static boolean isPing(Http2Socket.Frame frame) {
    return frame.type() == Http2Socket.PING && frame.flags() != Http2Socket.ACK;
  }

  private static void answerPing(Http2Socket client) throws IOException {
    byte[] payload = client.await(GrpcKeepAliveTest::isPing).payload();
    client.writeFrame(Http2Socket.PING, Http2Socket.ACK, 0, payload);
  }

  /** Sends a ping and waits for the answer. */
  private static void ping(Http2Socket client, long payload) throws IOException {
    writePing(client, payload);
    Http2Socket.Frame answer =
        client.await(frame -> frame.type() == Http2Socket.PING || isGoAway(frame));
    assertThat(answer.flags()).isEqualTo(Http2Socket.ACK);
    assertThat(ByteBuffer.wrap(answer.payload()).getLong()).isEqualTo(payload);
  }

  private static void writePing(Http2Socket client, long payload) throws IOException {
    client.writeFrame(
        Http2Socket.PING, 0, 0, ByteBuffer.allocate(Long.BYTES).putLong(payload).array());
  }

  private static boolean isGoAway(Http2Socket.Frame frame) {
    return frame.type() == Http2Socket.GOAWAY;
  }

  /** Waits until the server says that it will close the connection, and returns why. */
  private static String awaitGoAway(Http2Socket client) {
    ByteBuffer payload = ByteBuffer.wrap(client.await(GrpcKeepAliveTest::isGoAway).payload());
    var _ = payload.getInt(); // the last stream
    int error = payload.getInt();
    return error + " " + US_ASCII.decode(payload);
  }

  @Test
  void closesAConnectionWhoseClientDoesNotAnswerAPing() throws IOException {
    try (var server = start(pings(IDLE, Duration.ofSeconds(2)));
        var silent = Http2Socket.open(server.port());
        var answering = Http2Socket.open(server.port())) {
      answerPing(answering);
      assertThat(silent.await(GrpcKeepAliveTest::isPing)).isNotNull();

      silent.awaitClose();
      assertServes(answering, 1);
    }
  }

  /**
   * @param millis the shortest time between pings that the server permits
   */
  @ParameterizedTest
  @CsvSource({"false,0", "true,3600000"})
  void closesAConnectionAtTheThirdPingThatComesTooEarly(boolean withoutCalls, int millis)
      throws IOException {
    try (var server = start(clientPings(withoutCalls, Duration.ofMillis(millis)));
        var client = Http2Socket.open(server.port())) {
      ping(client, 1);
      ping(client, 2);
      writePing(client, 3);

      assertThat(awaitGoAway(client)).isEqualTo("11 too_many_pings"); // ENHANCE_YOUR_CALM
      client.awaitClose();
    }
  }

  @Test
  void answersAllPingsWithoutCallsIfTheyArePermitted() throws IOException {
    try (var server = start(clientPings(true, Duration.ZERO));
        var client = Http2Socket.open(server.port())) {
      for (int i = 0; i < 20; i++) {
        ping(client, i);
      }
      assertServes(client, 1);
    }
  }

  @Test
  void answersPingsDuringACallIfTheIntervalPermitsThem() throws IOException {
    try (var server = start(clientPings(false, Duration.ZERO));
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      for (int i = 0; i < 20; i++) {
        ping(client, i);
      }
      client.writeMessage(1, false, EMPTY, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
  }

  @Test
  void closesAConnectionOfTheLargestAgeOnceItsCallsHaveEnded() throws IOException {
    try (var server = start(age(Optional.empty()));
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      assertThat(awaitGoAway(client)).isEqualTo("0 max_age");
      answerPing(client);
      assertThat(awaitGoAway(client)).isEqualTo("0 max_age");

      client.writeMessage(1, false, EMPTY, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
      client.awaitClose();
    }
  }

  @Test
  void endsTheCallsOfSuchAConnectionAfterTheGrace() throws IOException {
    try (var server = start(age(Optional.of(SHORT)));
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      assertThat(awaitGoAway(client)).isEqualTo("0 max_age");
      answerPing(client);
      client.awaitClose();
    }
  }
}
