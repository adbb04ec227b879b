package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.simulation.Simulation.Violation;
import java.util.Optional;
import java.util.function.LongFunction;

/** The schedulers that are simulated. */
enum SimulatedScheduler implements LongFunction<Optional<String>> {
  DYNAMIC,
  DIRECT,
  SEQUENCE_DIRECT,
  SEQUENCE_OLDEST;

  Scenario scenario(long seed) {
    return switch (this) {
      case DYNAMIC -> DynamicScenarios.dynamic(seed);
      case DIRECT -> DynamicScenarios.direct(seed);
      case SEQUENCE_DIRECT -> SequenceScenarios.direct(seed);
      case SEQUENCE_OLDEST -> SequenceScenarios.oldest(seed);
    };
  }

  /** Runs the scenario of a seed; returns a description of its failure, if any. */
  @Override
  public Optional<String> apply(long seed) {
    Scenario scenario = scenario(seed);
    if (Shrinker.violation(scenario, Log.NONE).isEmpty()) {
      return Optional.empty();
    }
    Scenario shorter = Shrinker.shrink(scenario);
    var log = new Log.Text();
    Violation violation = Shrinker.violation(shorter, log).orElseThrow();
    return Optional.of(
        "%s, -Dnereid.seed=%d: %s%n%s%n%s"
            .formatted(this, seed, violation.getMessage(), shorter.configuration(), log));
  }
}
