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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that take too long or too many connections, over sockets; time is the test's. */
class SlowClientsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(
          3, 3, TIMEOUT, TIMEOUT, TIMEOUT, Duration.ofMinutes(5), Optional.empty());
  private static final String LARGE = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String PARTS = "GET /parts HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final byte[] PART = new byte[64 << 10];
  private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String POST = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";

  private final AtomicLong nanos = new AtomicLong();
  private final Refusals<HttpRefusal> refusals =
      new Refusals<>(HttpRefusal.class, "HTTP", nanos::get);
  private final LogCapture log = new LogCapture("io.nereid");
  private final HttpListener listener;

  /** Has a permit for each request whose head has come, and each read of a body. */
  private final Semaphore progress = new Semaphore(0);

  /** Has a permit for each connection on which nothing more is done. */
  private final Semaphore ended = new Semaphore(0);

  SlowClientsTest() throws IOException {
    listener = start(LIMITS);
  }

  private HttpListener start(ConnectionLimits limits) throws IOException {
    var settings =
        new ListenerSettings(
            "HTTP", new Listener("http", "127.0.0.1", 0, false), HeadLimits.DEFAULT, limits);
    return new HttpListener(settings, Optional.empty(), refusals, this::handle, nanos::get).start();
  }

  /**
   * Reads the body and responds 200: with much, for the path {@code /large}; with parts without
   * end, for the path {@code /parts}.
   */
  private void handle(HttpRequest request, HttpResponse response) throws IOException {
    try {
      progress.release();
      ByteBuffer target = ByteBuffer.allocate(100);
      while (request.body().read(target) >= 0) {
        progress.release();
        target.clear();
      }
      while (request.path().equals("/parts")) {
        response.addPart(PART, PART.length);
        response.flushParts();
      }
      response.send(new byte[request.path().equals("/large") ? 64 << 20 : 0]);
    } finally {
      ended.release();
    }
  }

  @AfterEach
  void stop() {
    listener.stop(Duration.ZERO);
    log.close();
  }

  private WireConnection connect() throws IOException {
    return connect(listener);
  }

  private static WireConnection connect(HttpListener listener) throws IOException {
    return new WireConnection(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
  }

  /** Lets the monitor find what is done now, and then lets time pass. */
  private void pass(Duration time) {
    listener.checkDeadlines();
    nanos.addAndGet(time.toNanos());
    listener.checkDeadlines();
  }

  /** Waits until the server has read a part of a request. */
  private void awaitProgress() throws InterruptedException {
    progress.acquire();
  }

  private void awaitConnections(int count) {
    while (listener.connections() != count) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aConnectionThatSendsNothingIsClosed() throws IOException {
    try (WireConnection silent = connect()) {
      awaitIdle(1);
      pass(TIMEOUT.plusNanos(1));

      assertThat(silent.rest()).isEmpty();
    }
    assertRefused(HttpRefusal.SILENT);
  }

  @Test
  void anIdleConnectionIsClosedAfterItsOwnTimeout() throws IOException {
    try (WireConnection idle = connect()) {
      idle.send(GET);
      idle.receive();
      awaitIdle(1);
      pass(TIMEOUT.plusNanos(1));
      idle.send(GET);
      assertThat(idle.receive().status()).isEqualTo(200);

      awaitIdle(1);
      pass(LIMITS.idleTimeout().plusNanos(1));
      assertThat(idle.rest()).isEmpty();
    }
  }

  @Test
  void aHeadThatDoesNotComeInTimeIsRefused() throws IOException {
    try (WireConnection slow = connect()) {
      awaitIdle(1);
      slow.send("GET / HTTP/1.1\r\n");
      awaitIdle(0); // the first line is read
      slow.send("X: y\r\n");
      pass(TIMEOUT.plusNanos(1));

      assertLate(slow, "the head of the request has not come in time");
    }
    assertRefused(HttpRefusal.SLOW_HEAD);
  }

  @Test
  void aBodyThatDoesNotComeInTimeIsRefused() throws Exception {
    try (WireConnection slow = connect()) {
      slow.send(POST);
      awaitProgress();
      slow.send("x".repeat(100));
      awaitProgress();
      pass(TIMEOUT.dividedBy(2));
      slow.send("x");
      awaitProgress();
      pass(TIMEOUT.dividedBy(2).plusNanos(1));

      assertLate(slow, "the body of the request has not come in time");
    }
    assertRefused(HttpRefusal.SLOW_BODY);
  }

  private static void assertLate(WireConnection slow, String error) throws IOException {
    WireResponse response = slow.receive();
    assertThat(response.status()).isEqualTo(408);
    assertThat(response.header("Connection")).isEqualTo("close");
    assertThat(response.body()).contains(error);
    assertThat(slow.rest()).isEmpty();
  }

  @Test
  void aResponseThatIsNotReadIsCutOff() throws Exception {
    try (WireConnection deaf = connect()) {
      deaf.send(LARGE);
      awaitProgress();
      while (!ended.tryAcquire()) { // the buffers between the two fill first
        pass(TIMEOUT.plusNanos(1));
      }

      assertThatIOException().isThrownBy(deaf::receive);
    }
    assertRefused(HttpRefusal.SLOW_READER);
  }

  @Test
  void aStreamThatIsNotReadIsCutOff() throws Exception {
    try (WireConnection deaf = connect()) {
      deaf.send(PARTS);
      awaitProgress();
      while (!ended.tryAcquire()) { // the buffers between the two fill first
        pass(TIMEOUT.plusNanos(1));
      }

      assertThatIOException().isThrownBy(deaf::receive);
    }
    assertRefused(HttpRefusal.SLOW_READER);
  }

  /** Refused once, without a trace or more than one line in the log. */
  private void assertRefused(HttpRefusal refusal) {
    assertThat(refusals.counts()).containsEntry(refusal, 1L);
    assertThat(log.records())
        .hasSize(1)
        .allSatisfy(written -> assertThat(written.getThrown()).isNull());
    awaitConnections(0);
  }

  @Test
  void theConnectionThatIsIdleForTheLongestTimeIsClosedForANewOne() throws Exception {
    try (WireConnection busy = connect();
        WireConnection first = idle(2);
        WireConnection second = idle(3)) {
      busy.send(POST);
      awaitIdle(2);
      pass(SECOND);

      serveANewOne();
      assertThat(first.rest()).isEmpty();
      assertServed(second);
      busy.send("x".repeat(1000));
      assertThat(busy.receive().status()).isEqualTo(200);
    }
    assertThat(refusals.counts()).containsEntry(HttpRefusal.ROOM, 1L);
  }

  @Test
  void aConnectionThatHasNeverSentARequestIsClosedBeforeOneThatHas() throws Exception {
    try (WireConnection first = idle(1);
        WireConnection silent = connect()) {
      awaitIdle(2);
      pass(Duration.ofNanos(1));
      try (WireConnection second = idle(3)) {
        pass(SECOND);

        serveANewOne();
        assertThat(silent.rest()).isEmpty();
        assertServed(first);
        assertServed(second);
      }
    }
  }

  @Test
  void aConnectionThatWasUsedSinceTheLastCheckIsNotClosedForANewOne() throws Exception {
    try (WireConnection first = idle(1);
        WireConnection second = idle(2);
        WireConnection third = idle(3)) {
      pass(SECOND);
      assertServed(first);

      serveANewOne();
      assertThat(second.rest()).isEmpty();
      assertServed(first);
      assertServed(third);
    }
  }

  @Test
  void anUnfinishedHeadOfTheClientThatHasMostIsClosedForANewOne() throws Exception {
    try (WireConnection fair = head("127.0.0.2");
        WireConnection first = head("127.0.0.3");
        WireConnection second = head("127.0.0.3")) {
      pass(SECOND);

      serveANewOneBesideHeads();
      WireResponse response = first.receive();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.body()).contains("the server has too many connections");
      assertThat(first.rest()).isEmpty();
      for (WireConnection other : new WireConnection[] {fair, second}) {
        other.send("\r\n");
        assertThat(other.receive().status()).isEqualTo(200);
      }
    }
    assertThat(refusals.counts()).containsEntry(HttpRefusal.ROOM, 1L);
  }

  @Test
  void anUnfinishedHeadIsClosedBeforeAConnectionThatWasServed() throws Exception {
    try (WireConnection first = idle(1);
        WireConnection second = idle(2);
        WireConnection slow = head("127.0.0.2")) {
      pass(SECOND);

      serveANewOneBesideHeads();
      assertThat(slow.receive().status()).isEqualTo(503);
      assertServed(first);
      assertServed(second);
    }
  }

  /** A connection that has sent a part of a head, and that the server has found so. */
  private WireConnection head(String client) throws IOException {
    listener.checkDeadlines();
    int idle = listener.idleConnections();
    var server = new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port());
    var connection = new WireConnection(server, InetAddress.ofLiteral(client));
    awaitIdle(idle + 1);
    connection.send("GET / HTTP/1.1\r\nHost: x\r\n");
    awaitIdle(idle);
    nanos.incrementAndGet();
    return connection;
  }

  @Test
  void aConnectionIsRefusedWhereNoneHasWaitedForASecond() throws Exception {
    try (WireConnection first = connect();
        WireConnection second = connect();
        WireConnection third = idle(3)) {
      pass(SECOND.minusNanos(2));

      assertRefused();
      assertServed(first);
      assertServed(second);
      assertServed(third);
    }
    assertThat(refusals.counts()).containsEntry(HttpRefusal.CONNECTIONS, 1L);
  }

  /** A connection that was served, and that the server has found idle as the last of so many. */
  private WireConnection idle(int count) throws IOException {
    WireConnection connection = connect();
    assertServed(connection);
    awaitIdle(count);
    nanos.incrementAndGet();
    return connection;
  }

  private static void assertServed(WireConnection connection) throws IOException {
    connection.send(GET);
    assertThat(connection.receive().status()).isEqualTo(200);
  }

  private void serveANewOne() throws IOException {
    try (WireConnection connection = connect()) {
      assertServed(connection);
    }
  }

  /** A thread that has got the first bytes of a head may not have begun to read it yet. */
  private void serveANewOneBesideHeads() throws IOException {
    while (true) { // until the timeout
      try (WireConnection connection = connect()) {
        connection.send(GET);
        if (connection.receive().status() == 200) {
          return;
        }
      }
      pass(SECOND);
    }
  }

  /** Waits until that many connections are found waiting for a request. */
  private void awaitIdle(int count) {
    do {
      listener.checkDeadlines();
    } while (listener.idleConnections() != count);
  }

  @Test
  void aConnectionIsRefusedWhereNoneIsIdle() throws Exception {
    try (WireConnection a = connect();
        WireConnection b = connect();
        WireConnection c = connect()) {
      for (WireConnection busy : new WireConnection[] {a, b, c}) {
        busy.send(POST);
        awaitProgress();
      }
      listener.checkDeadlines();

      assertRefused();
    }
    assertThat(refusals.counts()).containsEntry(HttpRefusal.CONNECTIONS, 1L);
  }

  /** Refuses a new connection, and says why. */
  private void assertRefused() throws IOException {
    try (WireConnection refused = connect()) {
      refused.send(GET);
      WireResponse response = refused.receive();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(response.header("Connection")).isEqualTo("close");
      assertThat(refused.rest()).isEmpty();
    }
  }

  @Test
  void aClientWithTooManyConnectionsIsRefused() throws Exception {
    HttpListener strict =
        start(new ConnectionLimits(10, 1, TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT, Optional.empty()));
    try (WireConnection first = connect(strict)) {
      first.send(GET);
      first.receive();
      try (WireConnection second = connect(strict)) {
        second.send(GET);

        assertThat(second.receive().status()).isEqualTo(429);
        assertThat(second.rest()).isEmpty();
      }
    } finally {
      strict.stop(Duration.ZERO);
    }
    assertThat(refusals.counts()).containsEntry(HttpRefusal.CLIENT_CONNECTIONS, 1L);
  }

  @Test
  void aClientThatLeavesIsNotLogged() throws Exception {
    try (WireConnection leaving = connect()) {
      leaving.send(POST);
      awaitProgress();
    }
    ended.acquire();
    awaitConnections(0);
    assertThat(log.records()).isEmpty();
  }
}
