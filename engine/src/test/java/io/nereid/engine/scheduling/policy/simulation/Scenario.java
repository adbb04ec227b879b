package io.nereid.engine.scheduling.policy.simulation;

import java.util.List;

/**
 * A configuration and a sequence of events.
 *
 * @param prompt whether woken instances are ready at once
 */
record Scenario(Configuration configuration, boolean prompt, List<Tick> ticks) {
  /**
   * A pause, followed by events and one decision.
   *
   * @param alarmLate whether an alarm that is due during the pause runs after it
   */
  record Tick(Pause pause, boolean alarmLate, List<Event> events) {
    /** The duration of the pause. */
    sealed interface Pause {
      /** A fixed duration. */
      record Nanos(long nanos) implements Pause {}

      /**
       * Until the next alarm plus {@code laterNanos}.
       *
       * @param otherwiseNanos the duration if no alarm is set
       */
      record UntilAlarm(long laterNanos, long otherwiseNanos) implements Pause {}
    }

    Tick {
      events = List.copyOf(events);
    }
  }

  Scenario {
    ticks = List.copyOf(ticks);
  }

  Scenario withTicks(List<Tick> newTicks) {
    return new Scenario(configuration, prompt, newTicks);
  }
}
