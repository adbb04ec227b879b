package io.nereid.engine.scheduling;

import io.nereid.engine.request.Ticket;

/** The source of time and of timers for schedulers. Thread-safe. */
public interface Clock {
  /** A timer that runs its action at a settable time. */
  interface Alarm extends AutoCloseable {
    /**
     * Sets the time at which the action runs once, at once if it has passed. Replaces the time set
     * before. One thread at a time.
     *
     * @param nanos of the clock; {@link Ticket#NEVER} to unset the alarm
     */
    void set(long nanos);

    /** Removes the alarm from the clock. */
    @Override
    void close();
  }

  /** Nanoseconds since a time before any request; never negative, never decreasing. */
  long nanos();

  /**
   * Returns a new alarm that is not set.
   *
   * @param action run by a thread of the clock; must not block
   */
  Alarm alarm(Runnable action);
}
