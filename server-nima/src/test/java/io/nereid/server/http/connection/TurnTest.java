package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nereid.server.http.limits.Activity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TurnTest {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

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
                    .readInTurn(ByteBuffer.allocateDirect(2 * Turn.BYTES))));
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
        assertThat(transport.readInTurn(target)).isBetween(1, Turn.BYTES);
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
