package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.simulation.Scenario.Tick;
import io.nereid.engine.scheduling.policy.simulation.Simulation.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Shortens a failing scenario by removing ticks and events while it still fails. */
final class Shrinker {
  private Shrinker() {}

  /** Runs a scenario and returns its violation, if any. */
  static Optional<Violation> violation(Scenario scenario, Log log) {
    try {
      Simulation.run(scenario, log);
      return Optional.empty();
    } catch (Violation violation) {
      return Optional.of(violation);
    }
  }

  /** Removes ticks, then events, that the violation does not need. */
  static Scenario shrink(Scenario scenario) {
    Scenario shorter = scenario;
    for (int chunk = scenario.ticks().size(); chunk > 0; chunk /= 2) {
      for (int at = shorter.ticks().size() - chunk; at >= 0; at -= chunk) {
        shorter = orIfPassing(without(shorter, at, chunk), shorter);
      }
    }
    for (int tick = shorter.ticks().size() - 1; tick >= 0; tick--) {
      for (int event = shorter.ticks().get(tick).events().size() - 1; event >= 0; event--) {
        shorter = orIfPassing(without(shorter, tick, event, event + 1), shorter);
      }
    }
    return shorter;
  }

  private static Scenario orIfPassing(Scenario candidate, Scenario otherwise) {
    return violation(candidate, Log.NONE).isPresent() ? candidate : otherwise;
  }

  private static Scenario without(Scenario scenario, int firstTurn, int ticks) {
    List<Tick> left = new ArrayList<>(scenario.ticks());
    left.subList(firstTurn, Math.min(left.size(), firstTurn + ticks)).clear();
    return scenario.withTicks(left);
  }

  private static Scenario without(Scenario scenario, int index, int firstEvent, int endEvent) {
    List<Tick> left = new ArrayList<>(scenario.ticks());
    Tick tick = left.get(index);
    List<Event> events = new ArrayList<>(tick.events());
    events.subList(firstEvent, endEvent).clear();
    left.set(index, new Tick(tick.pause(), tick.alarmLate(), events));
    return scenario.withTicks(left);
  }
}
