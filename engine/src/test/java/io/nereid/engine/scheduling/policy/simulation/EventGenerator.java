package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.simulation.Scenario.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A generator of scenarios with random rates: of arrivals, of instances that become ready, finish,
 * are added or removed, and of cancellations.
 */
final class EventGenerator {
  private static final int MAX_INSTANCE = 3;

  private final RandomSource random;
  private final long scaleNanos;
  private final boolean sparse;
  private final double becomeReady;
  private final double finish;
  private final double readyAgain;
  private final boolean prioritized;
  private final double cancel;
  private final double churn;
  private final double untilAlarm;
  private final int maxBurst;
  private int names;

  /**
   * Creates a generator.
   *
   * @param scaleNanos the time scale; delays and timeouts are a small multiple of it
   * @param sparse whether nearly every request is alone
   */
  EventGenerator(RandomSource random, long scaleNanos, boolean sparse) {
    this.random = random;
    this.scaleNanos = scaleNanos;
    this.sparse = sparse;
    becomeReady = sparse ? 0.95 : random.of(0.05, 0.4, 0.9);
    readyAgain = random.of(0.0, 0.5, 1.0);
    prioritized = random.chance(0.3);
    finish = sparse ? random.of(0.7, 0.95) : random.of(0.2, 0.5, 0.9);
    cancel = sparse ? 0.01 : random.of(0.0, 0.0, 0.1, 0.4);
    churn = random.of(0.0, 0.0, 0.03, 0.2);
    untilAlarm = sparse ? random.of(0.6, 0.95) : random.of(0.1, 0.5, 0.8);
    maxBurst = random.of(1, 2, 4, 8);
  }

  /** Draws a scenario; {@code arrivals} makes the request of a name. */
  Scenario scenario(Configuration configuration, IntFunction<Event.Arrive> arrivals) {
    List<Tick> ticks = new ArrayList<>();
    ticks.add(new Tick(new Tick.Pause.Nanos(random.between(0, 5_000)), false, firstInstances()));
    int count = sparse ? random.between(40, 90) : random.between(5, 40);
    for (int i = 0; i < count; i++) {
      ticks.add(tick(arrivals));
    }
    if (random.chance(0.1)) {
      ticks.set(
          random.between(1, count),
          new Tick(new Tick.Pause.Nanos(0), false, List.of(new Event.Stop())));
    }
    return new Scenario(configuration, sparse || random.chance(0.3), ticks);
  }

  private List<Event> firstInstances() {
    List<Event> events = new ArrayList<>();
    int count = sparse ? 1 : random.of(0, 1, 1, 2, 3);
    for (int instance = 0; instance < count; instance++) {
      events.add(new Event.Add(instance, priority()));
    }
    return events;
  }

  private Tick tick(IntFunction<Event.Arrive> arrivals) {
    List<Event> events = new ArrayList<>();
    if (random.chance(becomeReady)) {
      events.add(new Event.Ready(random.between(0, 9)));
    }
    if (random.chance(finish)) {
      long ago =
          random.chance(0.3)
              ? Event.Finish.AT_LAST_ARRIVAL
              : random.of(0L, random.between(0L, scaleNanos));
      events.add(
          new Event.Finish(
              random.between(0, 9),
              random.between(0, 255),
              ago,
              random.chance(readyAgain),
              random.chance(0.1)));
    }
    int arriving = sparse ? (random.chance(0.92) ? 1 : 2) : random.between(0, maxBurst);
    for (int i = 0; i < arriving; i++) {
      events.add(arrivals.apply(names++));
    }
    while (names > 0 && random.chance(cancel)) {
      events.add(new Event.Cancel(random.between(Math.max(0, names - 10), names - 1)));
    }
    if (random.chance(churn)) {
      int instance = random.between(0, MAX_INSTANCE);
      events.add(
          random.chance(0.5) ? new Event.Add(instance, priority()) : new Event.Remove(instance));
    }
    return new Tick(pause(), random.chance(0.2), events);
  }

  private long priority() {
    return prioritized ? random.between(0, 3) : 0;
  }

  private Tick.Pause pause() {
    if (random.chance(untilAlarm)) {
      long later = random.chance(0.8) ? 0 : random.of(-1L, 1L, scaleNanos / 3);
      long otherwise = random.of(0L, scaleNanos - 1, scaleNanos, scaleNanos * 2);
      return new Tick.Pause.UntilAlarm(later, otherwise);
    }
    return new Tick.Pause.Nanos(random.chance(0.3) ? 0 : random.between(1L, scaleNanos * 3 / 2));
  }
}
