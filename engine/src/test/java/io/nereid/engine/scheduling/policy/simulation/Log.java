package io.nereid.engine.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;

/** A log of a simulation. */
interface Log {
  /** Discards everything. */
  Log NONE =
      new Log() {
        @Override
        public void event(long nanos, Event event) {}

        @Override
        public void actions(long nanos, List<Action> actions) {}
      };

  void event(long nanos, Event event);

  /** The actions of the policy that follow. */
  void actions(long nanos, List<Action> actions);

  /** A log of text lines. */
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
