package io.nereid.server.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Leaves out of a scenario that shows a violation what is not needed to show one. */
final class Shortening {
  private Shortening() {}

  /** The violation that a scenario shows, if any. */
  static Optional<Violation> violation(Scenario scenario, Log log) {
    try {
      Simulation.run(scenario, log);
      return Optional.empty();
    } catch (Violation violation) {
      return Optional.of(violation);
    }
  }

  /** The scenario without any turn, and then without any event, that it can do without. */
  static Scenario shorten(Scenario scenario) {
    Scenario shorter = scenario;
    for (int chunk = scenario.turns().size(); chunk > 0; chunk /= 2) {
      for (int at = shorter.turns().size() - chunk; at >= 0; at -= chunk) {
        shorter = shownBy(without(shorter, at, chunk), shorter);
      }
    }
    for (int turn = shorter.turns().size() - 1; turn >= 0; turn--) {
      for (int event = shorter.turns().get(turn).events().size() - 1; event >= 0; event--) {
        shorter = shownBy(without(shorter, turn, event, event + 1), shorter);
      }
    }
    return shorter;
  }

  private static Scenario shownBy(Scenario candidate, Scenario otherwise) {
    return violation(candidate, Log.NONE).isPresent() ? candidate : otherwise;
  }

  private static Scenario without(Scenario scenario, int firstTurn, int turns) {
    List<Turn> left = new ArrayList<>(scenario.turns());
    left.subList(firstTurn, Math.min(left.size(), firstTurn + turns)).clear();
    return scenario.withTurns(left);
  }

  private static Scenario without(Scenario scenario, int index, int firstEvent, int endEvent) {
    List<Turn> left = new ArrayList<>(scenario.turns());
    Turn turn = left.get(index);
    List<Event> events = new ArrayList<>(turn.events());
    events.subList(firstEvent, endEvent).clear();
    left.set(index, new Turn(turn.pause(), turn.alarmLate(), events));
    return scenario.withTurns(left);
  }
}
