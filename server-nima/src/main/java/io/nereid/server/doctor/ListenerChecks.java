package io.nereid.server.doctor;

import io.nereid.server.frontend.Listener;
import io.nereid.spi.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks of the addresses to listen at: each is free, and no two are the same. */
record ListenerChecks(List<Listener> listeners) {
  List<Check> run() {
    List<Check> checks = new ArrayList<>();
    Map<Integer, Listener> byPort = new HashMap<>();
    for (Listener listener : listeners) {
      Listener other = listener.port() == 0 ? null : byPort.putIfAbsent(listener.port(), listener);
      checks.add(other == null ? check(listener) : twice(listener, other));
    }
    return checks;
  }

  private static Check check(Listener listener) {
    Optional<String> obstacle = listener.obstacle();
    if (obstacle.isPresent()) {
      return Check.problem(
          subject(listener),
          "cannot listen at %s: %s".formatted(listener.place(), obstacle.get()),
          "end the process that listens there, or change --%1$s-address or --%1$s-port"
              .formatted(listener.name()));
    }
    return Check.ok(
        subject(listener),
        listener.port() == 0
            ? "any free one at " + listener.address()
            : listener.place() + " is free");
  }

  private static Check twice(Listener listener, Listener other) {
    return Check.problem(
        subject(listener),
        "the port is that of %s too: %s".formatted(other.name(), listener.place()),
        "change --%s-port".formatted(listener.name()));
  }

  private static String subject(Listener listener) {
    return listener.name() + " port";
  }
}
