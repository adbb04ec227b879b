package io.nereid.tck.scheduler;

import java.time.Duration;

/** The clock of a scheduler under test, which the test advances. */
public interface VirtualClock {
  /**
   * Advances the clock. When this returns, every decision that is due by then has been made, each
   * at its own time.
   */
  void advance(Duration time);
}
