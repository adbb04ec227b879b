package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;

/**
 * Connections beyond the limit, which send nothing. Those that serve already go on, and once these
 * have gone, new ones are served again.
 */
public record ManyConnections(Function<Target, InetSocketAddress> listener)
    implements Attack.Script {
  private static final int CONNECTIONS = 5_000;
  private static final Duration STAY = Duration.ofSeconds(5);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    try (var crowd =
        Crowd.open(listener.apply(scene.target()), scene.scale().count(CONNECTIONS), new byte[0])) {
      int closed = crowd.closedWithin(scene.scale().hold(STAY));
      return AttackOutcome.of(
          "%d open, %d refused".formatted(crowd.size() - closed, crowd.refused() + closed));
    }
  }
}
