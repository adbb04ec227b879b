package io.nereid.server.scheduling;

/** Time, as schedulers see it. From any thread. */
public interface Clock {
  /** Nanoseconds since some moment before any request; never negative, never going back. */
  long nanos();

  /**
   * An alarm that is not set yet.
   *
   * @param action run each time it goes off, by a thread of the clock; must be quick
   */
  Alarm alarm(Runnable action);
}
