package io.nereid.server.scheduling.policy.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Draws a course of events at one of many paces: crowded or lonely, with instances that are slow to
 * come or to finish, that are added and removed, with clients that call off.
 */
final class Course {
  private static final int MAX_INSTANCE = 3;

  private final Draw draw;
  private final long scaleNanos;
  private final boolean lonely;
  private final double come;
  private final double finish;
  private final double asks;
  private final boolean prioritized;
  private final double cancel;
  private final double churn;
  private final double untilAlarm;
  private final int crowd;
  private int names;

  /**
   * A course not begun.
   *
   * @param scaleNanos how long things take: delays and timeouts are a small multiple of it
   * @param lonely whether nearly every request is alone
   */
  Course(Draw draw, long scaleNanos, boolean lonely) {
    this.draw = draw;
    this.scaleNanos = scaleNanos;
    this.lonely = lonely;
    come = lonely ? 0.95 : draw.of(0.05, 0.4, 0.9);
    asks = draw.of(0.0, 0.5, 1.0);
    prioritized = draw.chance(0.3);
    finish = lonely ? draw.of(0.7, 0.95) : draw.of(0.2, 0.5, 0.9);
    cancel = lonely ? 0.01 : draw.of(0.0, 0.0, 0.1, 0.4);
    churn = draw.of(0.0, 0.0, 0.03, 0.2);
    untilAlarm = lonely ? draw.of(0.6, 0.95) : draw.of(0.1, 0.5, 0.8);
    crowd = draw.of(1, 2, 4, 8);
  }

  /** A scenario whose requests come from {@code arrivals}, given the name of each. */
  Scenario scenario(Subject subject, IntFunction<Event.Arrive> arrivals) {
    List<Turn> turns = new ArrayList<>();
    turns.add(new Turn(new Turn.Pause.Nanos(draw.between(0, 5_000)), false, firstInstances()));
    int count = lonely ? draw.between(40, 90) : draw.between(5, 40);
    for (int i = 0; i < count; i++) {
      turns.add(turn(arrivals));
    }
    if (draw.chance(0.1)) {
      turns.set(
          draw.between(1, count),
          new Turn(new Turn.Pause.Nanos(0), false, List.of(new Event.Stop())));
    }
    return new Scenario(subject, lonely || draw.chance(0.3), turns);
  }

  private List<Event> firstInstances() {
    List<Event> events = new ArrayList<>();
    int count = lonely ? 1 : draw.of(0, 1, 1, 2, 3);
    for (int instance = 0; instance < count; instance++) {
      events.add(new Event.Add(instance, priority()));
    }
    return events;
  }

  private Turn turn(IntFunction<Event.Arrive> arrivals) {
    List<Event> events = new ArrayList<>();
    if (draw.chance(come)) {
      events.add(new Event.Come(draw.between(0, 9)));
    }
    if (draw.chance(finish)) {
      long ago =
          draw.chance(0.3)
              ? Event.Finish.AS_THE_LAST_CAME
              : draw.of(0L, draw.between(0L, scaleNanos));
      events.add(
          new Event.Finish(draw.between(0, 9), draw.between(0, 255), ago, draw.chance(asks)));
    }
    int arriving = lonely ? (draw.chance(0.92) ? 1 : 2) : draw.between(0, crowd);
    for (int i = 0; i < arriving; i++) {
      events.add(arrivals.apply(names++));
    }
    while (names > 0 && draw.chance(cancel)) {
      events.add(new Event.Cancel(draw.between(Math.max(0, names - 10), names - 1)));
    }
    if (draw.chance(churn)) {
      int instance = draw.between(0, MAX_INSTANCE);
      events.add(
          draw.chance(0.5) ? new Event.Add(instance, priority()) : new Event.Remove(instance));
    }
    return new Turn(pause(), draw.chance(0.2), events);
  }

  private long priority() {
    return prioritized ? draw.between(0, 3) : 0;
  }

  private Turn.Pause pause() {
    if (draw.chance(untilAlarm)) {
      long later = draw.chance(0.8) ? 0 : draw.of(-1L, 1L, scaleNanos / 3);
      long otherwise = draw.of(0L, scaleNanos - 1, scaleNanos, scaleNanos * 2);
      return new Turn.Pause.UntilAlarm(later, otherwise);
    }
    return new Turn.Pause.Nanos(draw.chance(0.3) ? 0 : draw.between(1L, scaleNanos * 3 / 2));
  }
}
