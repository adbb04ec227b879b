package io.nereid.policy.simulation;

import java.util.List;

/** A scheduler, and the course of events that it goes through. */
record Scenario(Subject subject, List<Turn> turns) {
  Scenario {
    turns = List.copyOf(turns);
  }

  Scenario withTurns(List<Turn> newTurns) {
    return new Scenario(subject, newTurns);
  }
}
