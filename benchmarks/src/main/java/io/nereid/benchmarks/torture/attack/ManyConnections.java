package io.nereid.benchmarks.torture.attack;

import java.io.IOException;
import java.time.Duration;

/**
 * Connections beyond the limit, which send nothing. Those that serve already go on, and once these
 * have gone, new ones are served again.
 */
public record ManyConnections(String name, boolean http) implements Attack {
  private static final int CONNECTIONS = 5_000;
  private static final Duration STAY = Duration.ofSeconds(5);

  @Override
  public String summary() {
    return "5,000 silent connections";
  }

  @Override
  public boolean takesAllRoom() {
    return true;
  }

  @Override
  public Outcome run(Scene scene) throws IOException, InterruptedException {
    var server = http ? scene.target().http() : scene.target().grpc();
    try (var crowd = Crowd.open(server, scene.scale().count(CONNECTIONS), new byte[0])) {
      int closed = crowd.closedWithin(scene.scale().hold(STAY));
      return Outcome.of(
          "%d open, %d refused".formatted(crowd.size() - closed, crowd.refused() + closed));
    }
  }
}
