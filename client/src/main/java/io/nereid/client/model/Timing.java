package io.nereid.client.model;

import java.time.Duration;

/**
 * How often something happened, and how long all of it took.
 *
 * @param total of all times
 */
public record Timing(long count, Duration total) {
  /** The mean; zero if it never happened. */
  public Duration mean() {
    return count == 0 ? Duration.ZERO : total.dividedBy(count);
  }

  static Timing of(Tree parent, String name) {
    Tree timing = parent.object(name);
    return new Timing(timing.number("count"), Duration.ofNanos(timing.number("ns")));
  }
}
