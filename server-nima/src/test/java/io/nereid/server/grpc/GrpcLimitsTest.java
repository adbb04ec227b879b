package io.nereid.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.engine.TestServices;
import io.nereid.server.grpc.connection.GrpcLimits;
import io.nereid.server.grpc.connection.Refusal;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.model.control.FakeModelControl;
import io.nereid.server.model.control.ModelIndexEntry;
import io.nereid.server.security.ListenerSecurity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits of clients, tried with frames that no library would send. */
@Timeout(60)
class GrpcLimitsTest {
  private static final String INFER = "inference.GRPCInferenceService/ModelInfer";
  private static final String STREAM = "inference.GRPCInferenceService/ModelStreamInfer";
  private static final String INDEX = "inference.GRPCInferenceService/RepositoryIndex";
  private static final String LOAD = "inference.GRPCInferenceService/RepositoryModelLoad";
  private static final byte[] EMPTY = {};
  private static final Duration LONG = Duration.ofMinutes(1);

  /** grpc-java, left alone, waits 10 s for the answer to a ping before it closes a connection. */
  private static final Duration LESS_THAN_A_PING = Duration.ofSeconds(9);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory requestMemory = new RequestMemory(1L << 30, 1L << 30);
  private final FakeModelControl models = new FakeModelControl();
  private @Nullable GrpcTransport server;

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

  private int start() throws IOException {
    var limits =
        new GrpcLimits(
            maxRequestSize,
            maxRequests,
            maxStreams,
            maxConnections,
            maxConnectionsPerClient,
            16 << 10,
            1_000,
            handshakeTimeout,
            readTimeout,
            writeTimeout,
            idleTimeout);
    server =
        GrpcTransport.of(
                new GrpcSettings(
                    "127.0.0.1", 0, limits, GrpcKeepAlive.DEFAULT, GrpcSettings.Features.DEFAULT),
                ListenerSecurity.NONE,
                TestServices.of(models, pool, requestMemory))
            .start();
    return running().port();
  }

  private GrpcTransport running() {
    return Objects.requireNonNull(server, "not started");
  }

  @AfterEach
  void stop() {
    if (server != null) {
      var _ = server.stop(Duration.ofSeconds(10));
    }
    assertThat(pool.outstanding()).isZero();
  }

  private long refused(Refusal refusal) {
    return running().connections().refusals().counts().getOrDefault(refusal, 0L);
  }

  private static void assertServes(Http2Socket client, int streamId) throws Exception {
    client.writeCall(streamId, INDEX);
    client.writeMessage(streamId, false, EMPTY, true);
    assertThat(client.awaitStatus(streamId)).startsWith("0 ");
  }

  @Test
  void closesConnectionsAboveTheLimit() throws Exception {
    maxConnections = 1;
    int port = start();
    try (var first = Http2Socket.open(port);
        var second = new Http2Socket(port)) {
      second.awaitClose();
      assertServes(first, 1);
    }
    assertThat(refused(Refusal.CONNECTIONS)).isEqualTo(1);
  }

  @Test
  void closesConnectionsOfAClientAboveItsLimitUntilItHasClosedOne() throws Exception {
    maxConnectionsPerClient = 1;
    int port = start();
    try (var _ = Http2Socket.open(port);
        var second = new Http2Socket(port)) {
      second.awaitClose();
    }
    assertThat(refused(Refusal.CLIENT_CONNECTIONS)).isEqualTo(1);
    while (running().connections().count() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    try (var third = Http2Socket.open(port)) {
      assertServes(third, 1);
    }
  }

  @Test
  void servesManyConnectionsThatComeAtOnce() throws Exception {
    int port = start();
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

  @Test
  void closesAConnectionThatDoesNotBeginWithHttp2() throws Exception {
    handshakeTimeout = Duration.ofMillis(200);
    int port = start();
    try (var silent = new Http2Socket(port);
        var half = new Http2Socket(port)) {
      half.write("PRI * HTTP".getBytes(UTF_8));
      silent.awaitClose();
      half.awaitClose();
    }
    while (refused(Refusal.HANDSHAKE) < 2) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void endsACallWhoseRequestDoesNotCome() throws Exception {
    readTimeout = Duration.ofMillis(200);
    int port = start();
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
    assertThat(refused(Refusal.SLOW_REQUEST)).isEqualTo(4);
  }

  @Test
  void waitsForTheNextMessageOfAStreamWithoutLimit() throws Exception {
    readTimeout = Duration.ofMillis(100);
    int port = start();
    try (var client = Http2Socket.open(port)) {
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
    int port = start();
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
    assertThat(refused(Refusal.SLOW_READER)).isEqualTo(1);
  }

  @Test
  void refusesAMessageAboveTheLimit() throws Exception {
    int port = start();
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
    assertThat(refused(Refusal.REQUEST_SIZE)).isEqualTo(3);
  }

  @Test
  void closesAConnectionThatResetsTooManyCalls() throws Exception {
    int port = start();
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
    assertThat(refused(Refusal.RESETS)).isEqualTo(1);
  }

  @Test
  void closesAConnectionWithTooManyControlFrames() throws Exception {
    int port = start();
    try (var client = Http2Socket.open(port)) {
      try {
        for (int i = 0; i < 100_000; i++) {
          client.writeFrame(Http2Socket.SETTINGS, 0, 0);
        }
      } catch (IOException closed) {
        // as expected
      }
      client.awaitClose();
    }
    assertThat(refused(Refusal.CONTROL_FRAMES)).isEqualTo(1);
  }

  /** A load of a model that lasts until the test ends it. */
  private CountDownLatch holdLoads(CountDownLatch begun) {
    var end = new CountDownLatch(1);
    models.setWhileLoading(() -> {
      begun.countDown();
      try {
        assertThat(end.await(50, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    });
    return end;
  }

  @Test
  void refusesCallsAboveTheLimit() throws Exception {
    maxRequests = 1;
    var begun = new CountDownLatch(1);
    CountDownLatch end = holdLoads(begun);
    int port = start();
    try (var client = Http2Socket.open(port)) {
      client.writeCall(1, LOAD);
      client.writeMessage(1, false, EMPTY, true);
      assertThat(begun.await(50, TimeUnit.SECONDS)).isTrue();
      for (String method : List.of(INFER, STREAM, LOAD)) {
        int streamId = 3 + 2 * List.of(INFER, STREAM, LOAD).indexOf(method);
        client.writeCall(streamId, method);
        assertThat(client.awaitStatus(streamId))
            .isEqualTo("8 the server has more than 1 gRPC calls in flight (--grpc-max-requests)");
      }
      end.countDown();
      assertThat(client.awaitStatus(1)).startsWith("0 ");
    }
    assertThat(refused(Refusal.REQUESTS)).isEqualTo(3);
  }

  @Test
  void closesIdleConnectionsAndHalfRequestsAtOnceWhenItStops() throws Exception {
    int port = start();
    try (var silent = new Http2Socket(port);
        var idle = Http2Socket.open(port);
        var half = Http2Socket.open(port);
        var stream = Http2Socket.open(port)) {
      half.writeCall(1, INFER);
      half.writeFrame(Http2Socket.DATA, 0, 1, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      stream.writeCall(1, STREAM);
      stream.writeFrame(Http2Socket.DATA, 0, 1, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      var _ = stream.await(frame -> frame.type() == Http2Socket.HEADERS);
      while (running().connections().calls() < 2) {
        LockSupport.parkNanos(1_000_000);
      }

      assertThat(running().stop(LESS_THAN_A_PING)).isTrue();
      assertThat(half.awaitStatus(1))
          .isEqualTo("14 the server stops, and the request has not come whole");
      assertThat(idle.await(frame -> frame.type() == Http2Socket.GOAWAY)).isNotNull();
      idle.awaitClose();
      half.awaitClose();
      stream.awaitClose();
      silent.awaitClose();
    }
  }

  @Test
  void endsAHalfRequestThatBeginsWhileItStops() throws Exception {
    var begun = new CountDownLatch(1);
    CountDownLatch end = holdLoads(begun);
    int port = start();
    try (var client = Http2Socket.open(port)) {
      client.writeCall(1, LOAD);
      client.writeMessage(1, false, EMPTY, true);
      assertThat(begun.await(50, TimeUnit.SECONDS)).isTrue();
      var stop = new FutureTask<>(() -> running().stop(Duration.ofSeconds(40)));
      Thread.ofVirtual().start(stop);
      assertThat(client.await(frame -> frame.type() == Http2Socket.GOAWAY)).isNotNull();

      client.writeCall(3, INFER);
      client.writeFrame(Http2Socket.DATA, 0, 3, new byte[] {0, 0, 0, 1, 0, 'a', 'b'});
      while (running().connections().calls() < 2) {
        LockSupport.parkNanos(1_000_000);
      }
      end.countDown();

      assertThat(client.awaitStatus(3))
          .isEqualTo("14 the server stops, and the request has not come whole");
      assertThat(stop.get()).isTrue();
    }
  }

  @Test
  void tellsACallThatOutlastsTheStop() throws Exception {
    var begun = new CountDownLatch(1);
    CountDownLatch end = holdLoads(begun);
    int port = start();
    try (var client = Http2Socket.open(port)) {
      client.writeCall(1, LOAD);
      client.writeMessage(1, false, EMPTY, true);
      assertThat(begun.await(50, TimeUnit.SECONDS)).isTrue();

      assertThat(running().stop(Duration.ofMillis(50))).isFalse();
      assertThat(client.awaitStatus(1))
          .isEqualTo("14 the server stops, and the call has not ended within the exit timeout");
      client.awaitClose();
    }
    end.countDown();
  }

  @Test
  void closesAConnectionThatHasHalfAHeaderBlockAndNoCall() throws Exception {
    idleTimeout = Duration.ofSeconds(1);
    int port = start();
    try (var client = Http2Socket.open(port)) {
      byte[] headers = Http2Socket.callHeaders(INFER);
      client.writeFrame(Http2Socket.HEADERS, 0, 1, Arrays.copyOf(headers, headers.length / 2));
      client.awaitClose();
    }
  }
}
