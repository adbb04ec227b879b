package io.nereid.policy.simulation;

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
        public void steps(long nanos, List<Step> steps) {}
      };

  void event(long nanos, Event event);

  /** What the policy has decided upon it. */
  void steps(long nanos, List<Step> steps);

  /** Lines of text. */
  final class Text implements Log {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void event(long nanos, Event event) {
      lines.add("%,12d ns  %s".formatted(nanos, event));
    }

    @Override
    public void steps(long nanos, List<Step> steps) {
      steps.forEach(step -> lines.add("%,12d ns    -> %s".formatted(nanos, step)));
    }

    @Override
    public String toString() {
      return String.join("\n", lines);
    }
  }
}
