package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.frontend.Listener;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.wire.WireConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TurnTest {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final String POST =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(2 * Turn.FIRST_BYTES);

  @Test
  void aCarrierIsLeftToThoseWithoutATurn() throws Exception {
    assumeTrue(PROCESSORS > 1, "a single carrier is left to no other");
    var begun = new CountDownLatch(PROCESSORS - 1);
    var ended = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4 * PROCESSORS; i++) {
      threads.add(
          startVirtual(() ->
              Turn.take(() -> {
                begun.countDown();
                while (!ended.get()) {
                  Thread.onSpinWait();
                }
                return 0;
              })));
    }
    begun.await();

    Thread.ofVirtual().start(() -> ended.set(true)).join();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void threadsThatAwaitTurnsLeaveCarriersToOthers() throws Exception {
    var turns = new AtomicInteger();
    var ended = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8 * PROCESSORS; i++) {
      threads.add(
          startVirtual(() -> {
            while (!ended.get()) {
              Turn.await();
              occupyCarrier();
              turns.incrementAndGet();
            }
            return 0;
          }));
    }

    List<Integer> waits = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      int before = turns.get() + 50; // until all carriers are occupied again
      while (turns.get() < before) {
        Thread.sleep(1);
      }
      Thread.ofVirtual().start(() -> waits.add(turns.get() - before)).join();
    }
    ended.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(waits.stream().sorted().toList().get(4)).isLessThan(100);
  }

  /** As long as it takes to write what is written in a turn, without blocking. */
  private static void occupyCarrier() {
    long end = System.nanoTime() + 1_000_000;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aBodyAboveAMebibyteIsReadInTurns() {
    assertThat(Turn.isNeeded(Turn.BYTES)).isFalse();
    assertThat(Turn.isNeeded(Turn.BYTES + 1)).isTrue();
  }

  @Test
  void aSmallBodyIsNotCounted() {
    assertThat(Turn.beginBody(Turn.FIRST_BYTES)).isFalse();
    assertThat(Turn.beginBody(Turn.FIRST_BYTES + 1)).isTrue();
    Turn.endBody();
  }

  @Test
  void bodiesAreReadInTurnsWhileTheyAreMany() throws Exception {
    var settings =
        new ListenerSettings(
            "HTTP",
            new Listener("http", "127.0.0.1", 0, false),
            HeadLimits.DEFAULT,
            ConnectionLimits.DEFAULT);
    var refusals = new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime);
    HttpListener listener =
        HttpListener.of(settings, Optional.empty(), refusals, TurnTest::readBody).start();
    List<WireConnection> clients = new ArrayList<>();
    try {
      for (int i = 0; i < Turn.FREE_BODIES; i++) {
        clients.add(announceBody(listener));
      }
      assertThat(Turn.isNeeded(Turn.BYTES)).isFalse();

      WireConnection last = announceBody(listener);
      awaitNeed(true);
      assertThat(Turn.isNeeded(Turn.FIRST_BYTES)).isFalse();

      last.send("x".repeat(2 * Turn.FIRST_BYTES));
      assertThat(last.receive().status()).isEqualTo(200);
      awaitNeed(false);

      last.send(POST);
      awaitNeed(true);
      last.close(); // in the midst of its body
      awaitNeed(false);
    } finally {
      for (WireConnection client : clients) {
        client.close();
      }
      listener.stop(Duration.ZERO);
    }
  }

  private static void readBody(HttpRequest request, HttpResponse response) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(Turn.FIRST_BYTES);
    while (request.body().read(target) >= 0) {
      target.clear();
    }
    response.send(new byte[1]);
  }

  private static WireConnection announceBody(HttpListener listener) throws IOException {
    var client =
        new WireConnection(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
    client.send(POST);
    return client;
  }

  private static void awaitNeed(boolean isNeeded) {
    while (Turn.isNeeded(Turn.BYTES) != isNeeded) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aReadOfMuchTakesATurnOnlyForBytesThatHaveCome() throws Exception {
    List<SocketChannel> channels = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    try (var server =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      for (int i = 0; i < PROCESSORS; i++) {
        channels.add(SocketChannel.open(server.getLocalAddress()));
        SocketChannel silent = server.accept();
        channels.add(silent);
        threads.add(
            startVirtual(() ->
                new PlainTransport(silent, new Activity())
                    .read(ByteBuffer.allocateDirect(2 * Turn.BYTES), 2 * Turn.BYTES)));
      }
      for (Thread thread : threads) {
        while (thread.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
      }

      assertThat(Turn.take(() -> 7)).isEqualTo(7);
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void aReadMovesAsMuchAsATurnAllowsAtMost() throws Exception {
    try (var server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var client = SocketChannel.open(server.getLocalAddress());
        SocketChannel channel = server.accept()) {
      int size = 3 * Turn.BYTES;
      Thread sender = startVirtual(() -> writeAll(client, ByteBuffer.allocateDirect(size)));
      var transport = new PlainTransport(channel, new Activity());
      ByteBuffer target = ByteBuffer.allocateDirect(size);
      while (target.hasRemaining()) {
        assertThat(transport.read(target, size)).isBetween(1, Turn.BYTES);
        assertThat(target.limit()).isEqualTo(size);
      }
      sender.join();
    }
  }

  private static int writeAll(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    return bytes.position();
  }

  /** What a thread does with a channel that may be closed under it. */
  private interface Use {
    int run() throws IOException;
  }

  private static Thread startVirtual(Use use) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            var _ = use.run();
          } catch (IOException closed) {
            throw new UncheckedIOException(closed);
          }
        });
  }
}
