package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A client that registers as many regions as it may, and then asks for the status of all of them,
 * on many connections. Another client can still register one.
 */
public final class ManyRegions implements Attack.Script {
  private static final int REGIONS = 2_000;
  private static final int CLIENTS = 20;
  private static final int BYTES = 4_096;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration DURATION = Duration.ofSeconds(10);
  private static final String REGIONS_PATH = "/v2/systemsharedmemory";

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    InetSocketAddress http = scene.target().http();
    Path memory = Files.createTempFile(Path.of("/dev/shm"), "nereid-torture", "");
    try {
      Files.write(memory, new byte[BYTES]);
      int registered = register(http, memory, scene.scale().count(REGIONS));
      boolean othersMay;
      try (var other = RawConnection.openFrom(scene.target().otherClient(), http)) {
        othersMay = register(other, memory, "other");
      }
      long answers =
          Repeated.answered(
              http,
              scene.scale().count(CLIENTS),
              Requests.get(REGIONS_PATH + "/status"),
              scene.scale().hold(DURATION));
      return AttackOutcome.of("%d regions registered, %d answers".formatted(registered, answers))
          .require(othersMay, "another client could not register a region");
    } finally {
      Files.delete(memory);
      var _ = SingleExchange.of(http, TIMEOUT, Requests.postTo(REGIONS_PATH + "/unregister", ""));
    }
  }

  private static int register(InetSocketAddress http, Path memory, int count) throws IOException {
    int registered = 0;
    try (var connection = RawConnection.open(http)) {
      for (int i = 0; i < count; i++) {
        registered += register(connection, memory, "torture-" + i) ? 1 : 0;
      }
    }
    return registered;
  }

  private static boolean register(RawConnection connection, Path memory, String name)
      throws IOException {
    String body =
        "{\"key\":\"/%s\",\"offset\":0,\"byte_size\":%d}".formatted(memory.getFileName(), BYTES);
    connection.send(Requests.postTo(REGIONS_PATH + "/region/%s/register".formatted(name), body));
    return connection.receive(TIMEOUT).isOk();
  }
}
