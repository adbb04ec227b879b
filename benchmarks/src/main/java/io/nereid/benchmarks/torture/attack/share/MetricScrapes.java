package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import java.time.Duration;

/** Connections that ask for the metrics as fast as they can. */
public record MetricScrapes(int connections) implements Attack.Script {
  private static final Duration DURATION = Duration.ofSeconds(10);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    if (scene.target().metrics().isEmpty()) {
      return AttackOutcome.of("the address of the metrics is unknown");
    }
    long scrapes =
        Repeated.answered(
            scene.target().metrics().get(),
            scene.scale().count(connections),
            Requests.get("/metrics"),
            scene.scale().hold(DURATION));
    return AttackOutcome.of("%d scrapes".formatted(scrapes))
        .require(scrapes > 0, "no scrape was answered");
  }
}
