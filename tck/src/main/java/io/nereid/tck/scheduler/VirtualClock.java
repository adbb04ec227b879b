package io.nereid.tck.scheduler;

import java.time.Duration;

/** The time of a scheduler under test: it passes when the test says so. */
public interface VirtualClock {
  /**
   * Lets time pass. What is due by then has been decided when this returns, each thing at its own
   * time.
   */
  void advance(Duration time);
}
