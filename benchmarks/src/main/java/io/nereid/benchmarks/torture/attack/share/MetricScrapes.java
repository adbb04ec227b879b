package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Requests;
import java.time.Duration;

/** Connections that ask for the metrics as fast as they can. */
public record MetricScrapes(int connections) implements Attack.Script {
  private static final Duration DURATION = Duration.ofSeconds(10);

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    if (scene.target().metrics().isEmpty()) {
      return Outcome.of("the address of the metrics is unknown");
    }
    long scrapes =
        Repeated.answered(
            scene.target().metrics().get(),
            scene.scale().count(connections),
            Requests.get("/metrics"),
            scene.scale().hold(DURATION));
    return Outcome.of("%d scrapes".formatted(scrapes))
        .require(scrapes > 0, "no scrape was answered");
  }
}
