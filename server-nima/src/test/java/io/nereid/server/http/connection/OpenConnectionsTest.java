package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.frontend.Endpoints;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.ConnectionInput;
import io.nereid.server.http.message.InputOnly;
import io.nereid.server.http.message.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the thread that accepts decides of a connection, without serving one. */
class OpenConnectionsTest {
  private static final ConnectionLimits LIMITS =
      ConnectionLimits.DEFAULT.withMaxConnections(16, 16);

  private final LogCapture log = new LogCapture("io.nereid");
  private final Refusals<HttpRefusal> refusals = new Refusals<>(HttpRefusal.class, "HTTP", () -> 0);
  private final OpenConnections open =
      new OpenConnections(new DisconnectMonitor(), LIMITS, refusals);

  @AfterEach
  void endLog() {
    log.close();
  }

  private ConnectionAdmission admitted() {
    return open.admit(ClientKey.LOCAL).orElseThrow();
  }

  private void takeAllRoom() {
    for (int i = 0; i < LIMITS.maxConnections(); i++) {
      assertThat(admitted().refusal()).isEmpty();
    }
  }

  @Test
  void anAdmissionIsAPlaceUntilItIsClosed() {
    ConnectionAdmission admission = admitted();
    var _ = admitted();
    assertThat(open.count()).isEqualTo(2);

    admission.close();
    admission.close();
    assertThat(open.count()).isEqualTo(1);
  }

  @Test
  void fewOfThoseThatAreRefusedAreToldWhyAndTheOthersAreReset() {
    takeAllRoom();
    assertThat(LIMITS.refusedAtOnce()).isEqualTo(2);

    ConnectionAdmission first = admitted();
    ConnectionAdmission second = admitted();
    assertThat(first.refusal()).contains(HttpRefusal.CONNECTIONS);
    assertThat(second.refusal()).contains(HttpRefusal.CONNECTIONS);
    assertThat(open.admit(ClientKey.LOCAL)).isEmpty();

    first.close();
    assertThat(admitted().refusal()).contains(HttpRefusal.CONNECTIONS);
    assertThat(open.count()).isEqualTo(LIMITS.maxConnections());
    assertThat(refusals.counts()).containsEntry(HttpRefusal.CONNECTIONS, 4L);
  }

  @Test
  void aChannelThatIsClosedBeforeItsConnectionBeginsGivesUpItsPlace() throws IOException {
    var accepted = new AcceptedChannels(open, true);
    try (var server = listen();
        var _ = SocketChannel.open(server.getLocalAddress())) {
      SocketChannel channel = server.accept();
      accepted.configureSocket(channel);
      accepted.endClosed();
      assertThat(open.count()).isEqualTo(1);

      channel.close();
      accepted.endClosed();
      assertThat(open.count()).isZero();
    }
  }

  @Test
  void channelsOfOneClientPortToTwoAddressesAreToldApart() throws IOException {
    var accepted = new AcceptedChannels(open, true);
    try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(0));
        var client = connect(server, 1, new InetSocketAddress(loopback(1), 0));
        SocketChannel first = server.accept();
        var _ = connect(server, 2, client.getLocalAddress());
        SocketChannel second = server.accept()) {
      accepted.configureSocket(first);
      accepted.configureSocket(second);

      assertThat(open.count()).isEqualTo(2);
      assertThat(accepted.remove(ends(second)).orElseThrow().channel()).isSameAs(second);
      assertThat(accepted.remove(ends(first)).orElseThrow().channel()).isSameAs(first);
    }
  }

  private static Endpoints ends(SocketChannel accepted) throws IOException {
    return new Endpoints(accepted.getRemoteAddress(), accepted.getLocalAddress());
  }

  /** A connection from the port {@code local}, which may have others, to 127.0.0.n. */
  private static SocketChannel connect(ServerSocketChannel server, int n, SocketAddress local)
      throws IOException {
    SocketChannel client = SocketChannel.open();
    client.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(local);
    client.connect(new InetSocketAddress(loopback(n), server.socket().getLocalPort()));
    return client;
  }

  private static InetAddress loopback(int n) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) n});
  }

  @Test
  void aFloodIsResetByTheThreadThatAccepts() throws IOException {
    takeAllRoom();
    for (int i = 0; i < LIMITS.refusedAtOnce(); i++) {
      var _ = admitted();
    }
    var accepted = new AcceptedChannels(open, true);
    try (var server = listen();
        var client = SocketChannel.open(server.getLocalAddress());
        SocketChannel channel = server.accept()) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> accepted.configureSocket(channel));
      assertThat(channel.getOption(StandardSocketOptions.SO_LINGER)).isZero();
      var answer = ByteBuffer.allocate(1000);
      assertThat(client.read(answer)).isPositive();
      assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 503 ")
          .contains("\r\nRetry-After: 1\r\n", "\r\nConnection: close\r\n")
          .endsWith("\r\n\r\n{\"error\":\"too many connections are refused at once\"}");
      assertThat(accepted.remove(ends(channel))).isEqualTo(Optional.empty());
    }
  }

  @Test
  void aFloodOfTlsIsResetWithoutAnAnswer() throws IOException {
    takeAllRoom();
    for (int i = 0; i < LIMITS.refusedAtOnce(); i++) {
      var _ = admitted();
    }
    var accepted = new AcceptedChannels(open, false);
    try (var server = listen();
        var client = SocketChannel.open(server.getLocalAddress())) {
      try (SocketChannel channel = server.accept()) {
        assertThatExceptionOfType(UncheckedIOException.class)
            .isThrownBy(() -> accepted.configureSocket(channel));
      }
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> client.read(ByteBuffer.allocate(1000)));
    }
  }

  @Test
  @Timeout(60)
  void aClientThatDoesNotReadItsResponseDelaysAStopForTwoSeconds() {
    long time = 2_000_000_000;
    var activity = new Activity();
    Transport transport = InputOnly.of(() -> new byte[0]);
    var state =
        new ConnectionState(
            admitted(), transport, new ConnectionInput(transport).ahead(), activity);
    open.add(state);
    assertThat(state.beginRequest() && state.requestIsRead()).isTrue();
    activity.begin(Activity.Kind.WRITING);
    var stop =
        CompletableFuture.supplyAsync(() -> {
          try {
            return open.stop(Duration.ofSeconds(50));
          } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
          }
        });
    while (!open.isStopping()) {
      Thread.onSpinWait();
    }
    open.check(0);
    open.check(time);
    assertThat(refusals.counts()).containsEntry(HttpRefusal.SLOW_READER, 0L);

    open.check(time + 1);
    assertThat(refusals.counts()).containsEntry(HttpRefusal.SLOW_READER, 1L);
    open.remove(state);
    assertThat(stop.join()).as("no response was cut off").isTrue();
  }

  private static ServerSocketChannel listen() throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return ServerSocketChannel.open().bind(address);
  }
}
