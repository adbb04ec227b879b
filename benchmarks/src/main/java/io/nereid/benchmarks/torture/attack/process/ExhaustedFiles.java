package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** More connections than the server may open files; it must serve again when they have gone. */
public final class ExhaustedFiles implements Attack.Script {
  private static final int CONNECTIONS = 600;
  private static final Duration STAY = Duration.ofSeconds(5);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    String http = closed(scene, scene.target().http());
    String grpc = closed(scene, scene.target().grpc());
    return AttackOutcome.of("HTTP: %s; gRPC: %s".formatted(http, grpc));
  }

  private static String closed(Scene scene, InetSocketAddress server)
      throws IOException, InterruptedException {
    try (var crowd = Crowd.open(server, scene.scale().count(CONNECTIONS), new byte[0])) {
      int closed = crowd.closedWithin(scene.scale().hold(STAY));
      return "%d of %d closed"
          .formatted(crowd.refused() + closed, scene.scale().count(CONNECTIONS));
    }
  }
}
