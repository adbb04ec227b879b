package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.sender.GrpcSender;
import io.nereid.benchmarks.sender.HttpSender;
import io.nereid.benchmarks.sender.Sender;
import io.nereid.benchmarks.torture.attack.Latencies;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Good requests at a fixed rate beside an attack, in several ways, each on a thread of its own.
 * Latency counts from when a request was due, so that a stall is seen in full. {@link #close} ends
 * them.
 */
final class GoodRequests implements AutoCloseable {
  /** How a good request is sent. */
  enum Way {
    HTTP_NEW("HTTP, new connection"),
    HTTP_KEPT("HTTP, kept connection"),
    GRPC("gRPC"),
    /** An exchange with a thread of the campaign itself, which shows delays of the machine. */
    MACHINE("machine");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Map<Way, Sender> senders = new EnumMap<>(Way.class);
  private final Map<Way, Latencies> latencies = new EnumMap<>(Way.class);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;

  /**
   * Connects to a server as another client than an attack, and sends nothing yet: attacks may take
   * their own client's share of the server.
   */
  GoodRequests(Target target) throws IOException {
    InetAddress source = target.otherClient();
    byte[] http = Requests.simple("simple");
    byte[] grpc = Requests.grpcSimple("simple").toByteArray();
    senders.put(Way.HTTP_NEW, new HttpSender(source, target.http(), false, TIMEOUT, http));
    senders.put(Way.HTTP_KEPT, new HttpSender(source, target.http(), true, TIMEOUT, http));
    senders.put(Way.GRPC, new GrpcSender(source, target.grpc(), TIMEOUT, grpc));
    senders.put(Way.MACHINE, EchoServer.start());
  }

  /**
   * Sends one request each way after the other, without counting, until {@code duration} has
   * passed.
   */
  void warmUp(Duration duration) throws IOException {
    long deadline = System.nanoTime() + duration.toNanos();
    do {
      for (Sender sender : senders.values()) {
        sender.send();
      }
    } while (System.nanoTime() - deadline < 0);
  }

  /** Sends one request each way; the failure of the first that fails, or null. */
  @Nullable String check() {
    for (var entry : senders.entrySet()) {
      try {
        entry.getValue().send();
      } catch (IOException e) {
        return entry.getKey().text() + ": " + e.getMessage();
      }
    }
    return null;
  }

  /** Starts to send a request each way every {@code interval}. */
  void start(Duration interval) {
    senders.forEach((way, sender) -> {
      Latencies statistics = latencies.computeIfAbsent(way, _ -> new Latencies());
      threads.add(
          Thread.ofPlatform()
              .name("good-" + way)
              .daemon()
              .start(() -> send(sender, statistics, interval.toNanos())));
    });
  }

  private void send(Sender sender, Latencies statistics, long intervalNanos) {
    for (long due = System.nanoTime(); !ended; due += intervalNanos) {
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      try {
        sender.send();
        statistics.succeeded(System.nanoTime() - due);
      } catch (IOException e) {
        statistics.failed(System.nanoTime() - due, String.valueOf(e.getMessage()));
      }
    }
  }

  /** Ends the sending; requests in flight are waited for. */
  void stop() throws InterruptedException {
    ended = true;
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    }
  }

  /** The latencies of each way. Complete after {@link #stop}. */
  Map<Way, Latencies> latencies() {
    return latencies;
  }

  @Override
  public void close() throws IOException {
    ended = true;
    for (Sender sender : senders.values()) {
      sender.close();
    }
  }
}
