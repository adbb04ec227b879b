package io.nereid.server.grpc;

import static io.nereid.server.grpc.GrpcTestServer.EMPTY;
import static io.nereid.server.grpc.GrpcTestServer.INDEX;
import static io.nereid.server.grpc.GrpcTestServer.INFER;
import static io.nereid.server.grpc.GrpcTestServer.LOAD;
import static io.nereid.server.grpc.GrpcTestServer.STREAM;
import static io.nereid.server.grpc.GrpcTestServer.assertServes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import io.nereid.engine.model.control.FakeModelControl;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.grpc.limits.GrpcCallLimits;
import io.nereid.server.grpc.limits.GrpcConnectionLimits;
import io.nereid.server.grpc.limits.GrpcLimits;
import io.nereid.server.grpc.limits.GrpcRefusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of clients, tried with frames that no library would send. */
@Timeout(60)
class GrpcLimitsTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** Control frames that a client may send at any time, beside those of its begin. */
  private static final int FEW_FRAMES = 950;

  private final FakeModelControl models = new FakeModelControl();

  /** The limits of a test; all others are the defaults. */
  private int maxRequests = 16_384;

  private int maxStreams = 10_000;
  private int maxConnections = 100;
  private int maxConnectionsPerClient = 100;
  private int maxRequestSize = 1 << 20;
  private Duration handshakeTimeout = LONG;
  private Duration readTimeout = LONG;
  private Duration writeTimeout = LONG;
  private Duration idleTimeout = LONG;
  private Duration streamIdleTimeout = LONG;

  private GrpcTestServer start() throws IOException {
    var limits =
        new GrpcLimits(
            maxRequestSize,
            new GrpcCallLimits(
                maxRequests,
                readTimeout,
                maxStreams,
                writeTimeout,
                1_000,
                streamIdleTimeout,
                16 << 10),
            new GrpcConnectionLimits(
                maxConnections, handshakeTimeout, maxConnectionsPerClient, idleTimeout));
    return new GrpcTestServer(limits, GrpcKeepAlive.DEFAULT, models);
  }

  @Test
  void closesConnectionsAboveTheLimit() throws Exception {
    maxConnections = 1;
    try (var server = start()) {
      int port = server.port();
      try (var first = Http2Socket.open(port);
          var second = new Http2Socket(port)) {
        second.awaitClose();
        assertServes(first, 1);
      }
      assertThat(server.refused(GrpcRefusal.CONNECTIONS)).isEqualTo(1);
    }
  }

  @Test
  void closesAConnectionWithoutACallForANewOne() throws Exception {
    maxConnections = 2;
    try (var server = start();
        var busy = Http2Socket.open(server.port());
        var idle = Http2Socket.open(server.port())) {
      busy.writeCall(1, STREAM);
      server.awaitCalls(1);
      while (!serves(server.port())) {
        Thread.onSpinWait(); // no connection has waited for a second
      }
      idle.awaitClose();
      busy.writeMessage(1, false, EMPTY, true);
      assertThat(busy.awaitStatus(1)).startsWith("0 ");
      assertThat(server.refused(GrpcRefusal.ROOM)).isEqualTo(1);
    }
  }

  /** Whether a new connection is served. */
  private static boolean serves(int port) {
    try (var client = new Http2Socket(port)) {
      client.begin();
      if (client.read() == null) {
        return false;
      }
      assertServes(client, 1);
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void closesConnectionsOfAClientAboveItsLimitUntilItHasClosedOne() throws Exception {
    maxConnectionsPerClient = 1;
    try (var server = start()) {
      int port = server.port();
      try (var _ = Http2Socket.open(port);
          var second = new Http2Socket(port)) {
        second.awaitClose();
      }
      assertThat(server.refused(GrpcRefusal.CLIENT_CONNECTIONS)).isEqualTo(1);
      server.awaitNoConnection();
      try (var third = Http2Socket.open(port)) {
        assertServes(third, 1);
      }
    }
  }

  @Test
  void servesManyConnectionsThatComeAtOnce() throws Exception {
    try (var server = start()) {
      int port = server.port();
      List<Http2Socket> clients = new ArrayList<>();
      try {
        for (int i = 0; i < 50; i++) {
          clients.add(new Http2Socket(port));
        }
        for (Http2Socket client : clients) {
          client.begin();
          assertServes(client, 1);
        }
      } finally {
        for (Http2Socket client : clients) {
          client.close();
        }
      }
    }
  }

  @Test
  void closesAConnectionThatDoesNotBeginWithHttp2() throws Exception {
    handshakeTimeout = Duration.ofMillis(200);
    try (var server = start()) {
      int port = server.port();
      try (var silent = new Http2Socket(port);
          var half = new Http2Socket(port)) {
        half.write("PRI * HTTP".getBytes(UTF_8));
        silent.awaitClose();
        half.awaitClose();
      }
      server.awaitRefused(GrpcRefusal.HANDSHAKE, 2);
    }
  }

  @Test
  void endsACallWhoseRequestDoesNotCome() throws Exception {
    readTimeout = Duration.ofMillis(200);
    try (var server = start()) {
      int port = server.port();
      try (var client = Http2Socket.open(port)) {
        client.writeCall(1, INFER); // and no message
        client.writeCall(3, INFER); // half a message
        client.writeFrame(Http2Socket.DATA, 0, 3, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
        client.writeCall(5, INFER); // a message, but not the end of the stream
        client.writeMessage(5, false, EMPTY, false);
        client.writeCall(7, STREAM); // half a message
        client.writeFrame(Http2Socket.DATA, 0, 7, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});

        for (int streamId : new int[] {1, 3, 5, 7}) {
          String status = client.awaitStatus(streamId);
          assertThat(status)
              .as("stream %d", streamId)
              .isEqualTo("4 the request has not come within 200 ms (--grpc-read-timeout-secs)");
        }
        assertServes(client, 9);
      }
      assertThat(server.refused(GrpcRefusal.SLOW_REQUEST)).isEqualTo(4);
    }
  }

  @Test
  void waitsForTheNextMessageOfAStreamWithoutLimit() throws Exception {
    readTimeout = Duration.ofMillis(100);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      client.writeCall(3, INFER);
      var _ = client.awaitStatus(3); // has timed out meanwhile
      client.writeMessage(1, false, EMPTY, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
  }

  @Test
  void endsACallWhoseResponseIsNotRead() throws Exception {
    writeTimeout = Duration.ofMillis(200);
    var row = new ModelIndexEntry("m".repeat(100_000), OptionalLong.empty(), Optional.empty(), "");
    models.setIndex(row);
    try (var server = start()) {
      int port = server.port();
      try (var client = Http2Socket.open(port)) {
        client.writeCall(1, INDEX);
        client.writeMessage(1, false, EMPTY, true);

        assertThat(client.awaitStatus(1))
            .isEqualTo(
                "8 the client has not read its response within 200 ms (--grpc-write-timeout-secs)");
        models.setIndex();
        client.growWindow(0, 100_000);
        assertServes(client, 3);
      }
      assertThat(server.refused(GrpcRefusal.SLOW_READER)).isEqualTo(1);
    }
  }

  @Test
  void refusesAMessageAboveTheLimit() throws Exception {
    try (var server = start()) {
      int port = server.port();
      for (String method : List.of(INFER, STREAM, LOAD)) {
        try (var client = Http2Socket.open(port)) {
          client.writeCall(1, method);
          var sending =
              Thread.ofVirtual()
                  .start(() -> {
                    try {
                      client.writeMessage(1, false, new byte[3 << 20], true);
                    } catch (IOException closed) {
                      // the server need not read all of it
                    }
                  });
          assertThat(client.awaitStatus(1))
              .isEqualTo("8 the message is larger than 1048576 bytes (--grpc-max-request-size)");
          client.abort();
          sending.join();
        }
      }
      assertThat(server.refused(GrpcRefusal.REQUEST_SIZE)).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 1 << 16, 1_234_567})
  void theLimitOfMessagesIsExact(int limit) throws Exception {
    maxRequestSize = limit;
    String refusal =
        "8 the message is larger than %d bytes (--grpc-max-request-size)".formatted(limit);
    try (var server = start()) {
      for (String method : List.of(INFER, STREAM)) {
        assertThat(statusOf(server, method, unknownField(limit - 1), true)).isNotEqualTo(refusal);
        assertThat(statusOf(server, method, unknownField(limit), true)).isNotEqualTo(refusal);
      }
      assertThat(statusOf(server, INFER, unknownField(limit + 1), true)).isEqualTo(refusal);
      assertThat(statusOf(server, STREAM, unknownField(limit + 1), false)).isEqualTo(refusal);
    }
  }

  private static String statusOf(
      GrpcTestServer server, String method, byte[] message, boolean isLast) throws IOException {
    try (var client = Http2Socket.open(server.port())) {
      client.writeCall(1, method);
      client.writeMessage(1, false, message, isLast);
      return client.awaitStatus(1);
    }
  }

  @Test
  void refusesAMessageAboveTheLimitOfAMethodWithoutTensors() throws Exception {
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      byte[] largest = unknownField(RequestLimits.MAX_PLAIN_REQUEST);
      client.writeCall(1, INDEX);
      client.writeMessage(1, false, largest, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
      client.writeFrame(
          Http2Socket.HEADERS, Http2Socket.END_HEADERS, 3, Http2Socket.callHeaders(INDEX, "gzip"));
      client.writeMessage(3, true, gzip(new byte[100_000]), true);
      assertThat(client.awaitStatus(3))
          .isEqualTo("8 the message is larger than 65536 bytes, the limit of this method");
      client.growWindow(0, 100_000);
      client.writeCall(5, INDEX);
      client.writeMessage(5, false, new byte[1 + RequestLimits.MAX_PLAIN_REQUEST], true);
      assertThat(client.awaitStatus(5))
          .isEqualTo("8 the message is larger than 65536 bytes, the limit of this method");
      assertServes(client, 7);
    }
  }

  /** A message of one field that no message has. */
  private static byte[] unknownField(int byteSize) throws IOException {
    var message = new ByteArrayOutputStream();
    var coded = CodedOutputStream.newInstance(message);
    int tagAndLength =
        CodedOutputStream.computeByteArraySize(99, new byte[byteSize - 5]) - byteSize + 5;
    coded.writeByteArray(99, new byte[byteSize - tagAndLength]);
    coded.flush();
    assertThat(message.size()).isEqualTo(byteSize);
    return message.toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  @Test
  void closesAConnectionThatResetsTooManyCalls() throws Exception {
    try (var server = start()) {
      int port = server.port();
      try (var client = Http2Socket.open(port)) {
        try {
          for (int streamId = 1; streamId < 200_000; streamId += 2) {
            client.writeCall(streamId, INFER);
            client.writeFrame(Http2Socket.RST_STREAM, 0, streamId, new byte[] {0, 0, 0, 8});
          }
        } catch (IOException closed) {
          // as expected
        }
        client.awaitClose();
      }
      assertThat(server.refused(GrpcRefusal.RESETS)).isEqualTo(1);
    }
  }

  /** Frames that carry nothing of a request, on a connection whose stream 1 has ended. */
  enum Control {
    SETTINGS(Http2Socket.SETTINGS, 0, 0, 0),
    SETTINGS_ACK(Http2Socket.SETTINGS, Http2Socket.ACK, 0, 0),
    PING_ACK(Http2Socket.PING, Http2Socket.ACK, 0, 8),
    GOAWAY(Http2Socket.GOAWAY, 0, 0, 8),
    WINDOW_UPDATE(Http2Socket.WINDOW_UPDATE, 0, 0, 4),
    WINDOW_UPDATE_OF_AN_ENDED_STREAM(Http2Socket.WINDOW_UPDATE, 0, 1, 4),
    RESET_OF_AN_ENDED_STREAM(Http2Socket.RST_STREAM, 0, 1, 4),
    EMPTY_DATA(Http2Socket.DATA, 0, 3, 0),
    PRIORITY(Http2Socket.PRIORITY, 0, 3, 5),
    PRIORITY_OF_AN_ENDED_STREAM(Http2Socket.PRIORITY, 0, 1, 5),
    UNKNOWN(0xFA, 0, 0, 3);

    private final int type;
    private final int flags;
    private final int streamId;
    private final int byteSize;

    Control(int type, int flags, int streamId, int byteSize) {
      this.type = type;
      this.flags = flags;
      this.streamId = streamId;
      this.byteSize = byteSize;
    }

    void write(Http2Socket client, int count) throws IOException {
      byte[] payload = new byte[byteSize];
      if (byteSize > 0) {
        payload[byteSize - 1] = 1;
      }
      var frames = new ByteArrayOutputStream();
      for (int i = 0; i < count; i++) {
        frames.writeBytes(Http2Socket.frame(type, flags, streamId, byteSize, payload));
      }
      client.write(frames.toByteArray());
    }
  }

  @ParameterizedTest
  @EnumSource(Control.class)
  void closesAConnectionWithTooManyControlFrames(Control control) throws Exception {
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      assertServes(client, 1);
      client.writeCall(3, STREAM);
      control.write(client, FEW_FRAMES);
      assertServes(client, 5);
      try {
        for (int i = 0; i < 1_000; i++) {
          control.write(client, 100);
        }
      } catch (IOException closed) {
        // as expected
      }
      client.awaitClose();
      assertThat(server.refused(GrpcRefusal.CONTROL_FRAMES)).isEqualTo(1);
    }
  }

  @Test
  void keepsAConnectionWhoseClientReturnsTheWindowOfEach4Kibibytes() throws Exception {
    var row = new ModelIndexEntry("m".repeat(8 << 20), OptionalLong.empty(), Optional.empty(), "");
    models.setIndex(row);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      for (int streamId = 1; streamId < 10; streamId += 2) {
        client.writeCall(streamId, INDEX);
        client.writeMessage(streamId, false, EMPTY, true);
        var _ =
            client.await(frame -> {
              returnWindows(client, frame);
              return frame.endsStream();
            });
      }
      assertThat(server.refused(GrpcRefusal.CONTROL_FRAMES)).isZero();
    }
  }

  /** Returns the windows of what has come, for each 4 KiB. */
  private static void returnWindows(Http2Socket client, Http2Socket.Frame frame) {
    int left = frame.type() == Http2Socket.DATA ? frame.payload().length : 0;
    for (int bytes; left > 0; left -= bytes) {
      bytes = Math.min(left, 4 << 10);
      try {
        client.growWindow(0, bytes);
        client.growWindow(frame.streamId(), bytes);
      } catch (IOException closed) {
        throw new UncheckedIOException(closed);
      }
    }
  }

  @Test
  void closesAConnectionThatTogglesTheWindowOfManyStreams() throws Exception {
    try (var server = start()) {
      int port = server.port();
      try (var client = Http2Socket.open(port)) {
        int streams = 500;
        for (int i = 0; i < streams; i++) {
          client.writeCall(1 + 2 * i, STREAM);
        }
        server.awaitCalls(streams);
        int sent = 0;
        try {
          for (; sent < 100; sent++) {
            byte[] setting = {0, 4, 0, 0, (byte) (64 + sent % 2), 0};
            client.writeFrame(Http2Socket.SETTINGS, 0, 0, setting);
          }
        } catch (IOException closed) {
          // as expected
        }
        client.awaitClose();
      }
      assertThat(server.refused(GrpcRefusal.CONTROL_FRAMES)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"x-bin,!!!", "X-Upper,a", "connection,close", "x-bin,a"})
  void endsOnlyTheCallOfABadHeader(String name, String value) throws Exception {
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      var block = new ByteArrayOutputStream();
      block.writeBytes(Http2Socket.callHeaders(INDEX));
      Http2Socket.putHeader(block, name, value);
      client.writeFrame(Http2Socket.HEADERS, Http2Socket.END_HEADERS, 3, block.toByteArray());
      Http2Socket.Frame end =
          client.await(frame ->
              frame.streamId() == 3
                  && (frame.type() == Http2Socket.RST_STREAM || frame.endsStream()));
      assertThat(end.streamId()).isEqualTo(3);
      client.writeMessage(3, false, EMPTY, true); // was under way
      assertServes(client, 5);
      client.writeMessage(1, false, EMPTY, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
  }

  @Test
  void refusesCallsAboveTheLimit() throws Exception {
    maxRequests = 1;
    var load = new HeldLoad(models);
    try (var server = start()) {
      int port = server.port();
      try (var client = Http2Socket.open(port)) {
        load.begin(client);
        for (String method : List.of(INFER, STREAM, LOAD)) {
          int streamId = 3 + 2 * List.of(INFER, STREAM, LOAD).indexOf(method);
          client.writeCall(streamId, method);
          assertThat(client.awaitStatus(streamId))
              .isEqualTo("8 the server has more than 1 gRPC calls in flight (--grpc-max-requests)");
        }
        load.end();
        assertThat(client.awaitStatus(1)).startsWith("0 ");
      }
      assertThat(server.refused(GrpcRefusal.REQUESTS)).isEqualTo(3);
    }
  }

  @Test
  void leavesCallsForOtherClients() throws Exception {
    maxRequests = 8;
    try (var server = start();
        var client = Http2Socket.open(server.port());
        var other = Http2Socket.open(server.port(), InetAddress.getByName("127.0.0.2"))) {
      for (int i = 0; i < 4; i++) {
        client.writeCall(1 + 2 * i, STREAM);
      }
      server.awaitCalls(4);
      client.writeCall(9, STREAM);
      assertThat(client.awaitStatus(9))
          .isEqualTo(
              "8 the client has more gRPC calls in flight than are free for others, of 8"
                  + " (--grpc-max-requests)");
      assertThat(server.refused(GrpcRefusal.CLIENT_REQUESTS)).isEqualTo(1);
      assertServes(other, 1);
      client.writeMessage(1, false, EMPTY, true);
      assertThat(client.awaitStatus(1)).startsWith("0 ");
      while (server.calls() > 3) {
        LockSupport.parkNanos(1_000_000); // a call is counted until its status is written
      }
      client.writeCall(11, STREAM);
      client.writeMessage(11, false, EMPTY, true);
      assertThat(client.awaitStatus(11)).startsWith("0 ");
    }
  }

  @Test
  void endsAStreamWithoutRequests() throws Exception {
    streamIdleTimeout = Duration.ofMillis(200);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      client.writeCall(1, STREAM);
      client.writeCall(3, STREAM);
      client.writeMessage(3, false, EMPTY, false); // is answered
      client.writeCall(5, STREAM);
      client.writeFrame(
          Http2Socket.DATA, 0, 5, new byte[] {0, 0, 0, 1, 0, 'a', 'b'}); // half of one
      for (int streamId : new int[] {1, 3}) {
        assertThat(client.awaitStatus(streamId))
            .as("stream %d", streamId)
            .isEqualTo(
                "4 the stream has had no request for 200 ms (--grpc-stream-idle-timeout-secs)");
      }
      assertThat(server.refused(GrpcRefusal.IDLE_STREAM)).isEqualTo(2);
      assertThat(server.calls()).isEqualTo(1);
      assertServes(client, 7);
    }
  }

  @Test
  void closesAConnectionThatHasHalfAHeaderBlockAndNoCall() throws Exception {
    idleTimeout = Duration.ofSeconds(1);
    try (var server = start();
        var client = Http2Socket.open(server.port())) {
      byte[] headers = Http2Socket.callHeaders(INFER);
      client.writeFrame(Http2Socket.HEADERS, 0, 1, Arrays.copyOf(headers, headers.length / 2));
      client.awaitClose();
    }
  }
}
