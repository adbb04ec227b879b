package io.nereid.server.scheduling.policy.simulation;

import java.util.List;

/**
 * Time passes, something happens, and the scheduler decides.
 *
 * @param alarmLate whether the alarm that the scheduler has set in the meantime is not heard before
 *     the turn's end
 */
record Turn(Pause pause, boolean alarmLate, List<Event> events) {
  /** How much time passes. */
  sealed interface Pause {
    /** So much. */
    record Nanos(long nanos) implements Pause {}

    /**
     * Until when the scheduler wants to be asked again, or a little later.
     *
     * @param otherwiseNanos how much time passes if it does not want to be asked again
     */
    record UntilAlarm(long laterNanos, long otherwiseNanos) implements Pause {}
  }

  Turn {
    events = List.copyOf(events);
  }
}
