package io.nereid.server.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;

/** What happened in a simulation, to be read by people. */
interface Log {
  /** Nobody reads it. */
  Log NONE =
      new Log() {
        @Override
        public void event(long nanos, Event event) {}

        @Override
        public void actions(long nanos, List<Action> actions) {}
      };

  void event(long nanos, Event event);

  /** What the policy has decided upon it. */
  void actions(long nanos, List<Action> actions);

  /** Lines of text. */
  final class Text implements Log {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void event(long nanos, Event event) {
      lines.add("%,12d ns  %s".formatted(nanos, event));
    }

    @Override
    public void actions(long nanos, List<Action> actions) {
      actions.forEach(action -> lines.add("%,12d ns    -> %s".formatted(nanos, action)));
    }

    @Override
    public String toString() {
      return String.join("\n", lines);
    }
  }
}
