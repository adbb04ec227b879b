package io.nereid.server;

import java.time.Duration;

/**
 * The parts of the exit timeout, which limits all of a stop: a supervisor that kills the process
 * once it has passed finds none.
 *
 * @param timeout the whole
 */
record ExitTimes(Duration timeout) {
  /**
   * How long before the timeout the process begins to end at the latest: a tenth of it, within
   * these limits. A JVM takes 0.3 s to end.
   */
  private static final Duration MIN_MARGIN = Duration.ofMillis(400);

  private static final Duration MAX_MARGIN = Duration.ofMillis(500);

  /** What a stop without requests has in any case. */
  private static final Duration MIN = Duration.ofMillis(500);

  /** How long requests and sequences have. Then those that are left are ended. */
  Duration requests() {
    Duration latest = timeout.minus(margin().multipliedBy(2));
    return latest.isNegative() ? Duration.ZERO : latest;
  }

  /** When the process ends, whatever is not closed by then. */
  Duration process() {
    Duration latest = timeout.minus(margin());
    return latest.compareTo(MIN) > 0 ? latest : MIN;
  }

  private Duration margin() {
    Duration part = timeout.dividedBy(10);
    if (part.compareTo(MIN_MARGIN) < 0) {
      return MIN_MARGIN;
    }
    return part.compareTo(MAX_MARGIN) < 0 ? part : MAX_MARGIN;
  }
}
