package io.nereid.server.scheduling.policy.simulation;

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

  /** What goes wrong with a seed, to be read by people; empty if nothing does. */
  @Override
  public Optional<String> apply(long seed) {
    Scenario scenario = scenario(seed);
    if (Shortening.violation(scenario, Log.NONE).isEmpty()) {
      return Optional.empty();
    }
    Scenario shorter = Shortening.shorten(scenario);
    var log = new Log.Text();
    Violation violation = Shortening.violation(shorter, log).orElseThrow();
    return Optional.of(
        "%s, -Dnereid.seed=%d: %s%n%s%n%s"
            .formatted(this, seed, violation.getMessage(), shorter.subject(), log));
  }
}
