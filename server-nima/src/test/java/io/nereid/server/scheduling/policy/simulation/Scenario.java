package io.nereid.server.scheduling.policy.simulation;

import java.util.List;

/**
 * A scheduler, and the course of events that it goes through.
 *
 * @param prompt whether instances come as soon as they are called
 */
record Scenario(Subject subject, boolean prompt, List<Turn> turns) {
  Scenario {
    turns = List.copyOf(turns);
  }

  Scenario withTurns(List<Turn> newTurns) {
    return new Scenario(subject, prompt, newTurns);
  }
}
