package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Latencies;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.wire.FrameReader;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A client that takes as many connections of a listener as it gets, and has begun each. */
public record WaitingConnections(Port port) implements Attack.Script {
  private static final int CONNECTIONS = 6_000;
  private static final int METRICS_CONNECTIONS = 1_200;
  private static final Duration STAY = Duration.ofSeconds(8);
  private static final Duration INTERVAL = Duration.ofMillis(50);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final String HALF_A_HEAD = "GET /v2 HTTP/1.1\r\nHost: localhost\r\n";

  /** A listener, with what begins a connection to it. */
  enum Port {
    HTTP("http-heads", CONNECTIONS),
    METRICS("metrics-heads", METRICS_CONNECTIONS),
    GRPC("grpc-idle-connections", CONNECTIONS);

    private final String attack;
    private final int connections;

    Port(String attack, int connections) {
      this.attack = attack;
      this.connections = connections;
    }

    byte[] begin() {
      return this == GRPC ? Frames.begin() : Requests.bytes(HALF_A_HEAD);
    }

    InetSocketAddress address(Target target) {
      return switch (this) {
        case HTTP -> target.http();
        case METRICS -> target.metrics().orElse(target.http());
        case GRPC -> target.grpc();
      };
    }
  }

  /** An attack on each listener. */
  public static List<Attack> all() {
    return Stream.of(Port.values())
        .map(port ->
            Attack.of(
                port.attack,
                "%,d connections that have begun and wait, beside another client's requests"
                    .formatted(port.connections),
                new WaitingConnections(port)))
        .toList();
  }

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    Target target = scene.target();
    int count = scene.scale().count(port.connections);
    try (var crowd = Crowd.open(port.address(target), count, port.begin())) {
      Latencies probes = probe(target, scene.scale().hold(STAY));
      int closed = crowd.closedWithin(Duration.ofMillis(1));
      String answer =
          String.format(
              Locale.ROOT,
              "%d open, %d refused; another client: %d of %d failed, p99 %.0f ms",
              crowd.size() - closed,
              crowd.refused() + closed,
              probes.failures(),
              probes.count(),
              probes.percentileMillis(99));
      return AttackOutcome.of(answer)
          .require(
              probes.failures() == 0,
              "a request of another client fails: " + probes.firstFailure());
    }
  }

  /** Requests of another client on new connections, one after the other, at least one. */
  private Latencies probe(Target target, Duration duration) {
    var probes = new Latencies();
    long deadline = System.nanoTime() + duration.toNanos();
    do {
      long start = System.nanoTime();
      try {
        request(target);
        probes.succeeded(System.nanoTime() - start);
      } catch (IOException e) {
        probes.failed(System.nanoTime() - start, String.valueOf(e.getMessage()));
      }
      LockSupport.parkNanos(start + INTERVAL.toNanos() - System.nanoTime());
    } while (System.nanoTime() - deadline < 0);
    return probes;
  }

  private void request(Target target) throws IOException {
    try (var connection = RawConnection.openFrom(target.otherClient(), port.address(target))) {
      if (port == Port.GRPC) {
        live(connection);
      } else {
        get(connection);
      }
    }
  }

  private void get(RawConnection connection) throws IOException {
    connection.send(Requests.get(port == Port.HTTP ? "/v2/health/live" : "/metrics"));
    var answer = connection.receiveBeginning(TIMEOUT);
    if (!answer.isOk()) {
      throw new IOException("status " + answer.status());
    }
  }

  private void live(RawConnection connection) throws IOException {
    connection.send(
        Frames.concatenated(
            port.begin(), Frames.call(1, "ServerLive"), Frames.message(1, new byte[0], false)));
    var reader = new FrameReader(connection);
    reader.readTo(1, TIMEOUT);
    if (!reader.hasData(1)) {
      throw new IOException("no response: " + reader.summary());
    }
  }
}
