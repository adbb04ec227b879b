package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.request.SequenceId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Sequence batchers of all configurations, and what may happen to them. */
final class SequenceScenarios {
  private static final int SCALE_MICROS = 10;

  private final Draw draw;
  private final boolean lonely;

  /** The ids of sequences that have been started and not ended, as far as a client knows. */
  private final Set<SequenceId> live = new HashSet<>();

  private SequenceScenarios(long seed) {
    draw = new Draw(seed);
    lonely = draw.chance(0.15);
  }

  static Scenario direct(long seed) {
    return new SequenceScenarios(seed).direct();
  }

  static Scenario oldest(long seed) {
    return new SequenceScenarios(seed).oldest();
  }

  private Scenario direct() {
    double utilization = draw.of(0.0, 0.25, 1 / 3.0, 0.5, 0.75, 1.0);
    return scenario(new Strategy.Direct(delay(), utilization), draw.between(0, 5));
  }

  private Scenario oldest() {
    int maxBatchSize = lonely ? 4 : draw.between(0, 5);
    int sizes = Math.min(maxBatchSize, draw.of(1, 1, 2));
    List<Integer> preferred =
        lonely || (draw.chance(0.3) && maxBatchSize > 0)
            ? List.of(maxBatchSize)
            : draw.numbers(sizes, maxBatchSize);
    return scenario(
        new Strategy.Oldest(draw.between(0, 5), preferred, delay(), false), maxBatchSize);
  }

  private long delay() {
    return lonely ? SCALE_MICROS : draw.of(0L, 0L, 5L, 10L, 1_000L);
  }

  private Scenario scenario(Strategy strategy, int maxBatchSize) {
    boolean iterative = draw.chance(0.3);
    long idle = draw.of(15L, 30L, 100L, 1_000_000L);
    var settings = new SequenceSettings(idle, List.of(), strategy, List.of(), iterative);
    int capacity = draw.chance(0.85) ? 1_000 : draw.between(1, 8);
    int ids = draw.of(1, 2, 4, 8, 12);
    double anonymous = iterative ? 0.5 : 0.01;
    double end = lonely ? 0 : draw.of(0.05, 0.3, 0.6);
    double mistakes = draw.of(0.0, 0.02, 0.3);
    boolean hasty = draw.chance(0.4);
    boolean impatient = !lonely && draw.chance(0.3);
    int keys = lonely ? 1 : draw.of(1, 1, 2);
    return new Course(draw, SCALE_MICROS * 1_000, lonely)
        .scenario(
            new SequenceSubject(settings, maxBatchSize, capacity),
            name -> {
              SequenceId id = id(ids, anonymous);
              boolean named = !id.equals(SequenceId.NONE);
              boolean isFirst = named && live.add(id);
              boolean isLast = named && draw.chance(end);
              if (isLast) {
                live.remove(id);
              }
              return new Event.Arrive(
                  name,
                  draw.chance(0.01) ? 2 : 1,
                  "k" + draw.between(1, keys),
                  draw.chance(0.1),
                  draw.chance(0.2) ? draw.between(1L, SCALE_MICROS * 500) : 0,
                  impatient && draw.chance(0.2) ? draw.between(0, SCALE_MICROS * 4_000) : -1,
                  0,
                  hasty && draw.chance(0.4) ? draw.between(1, 3 * SCALE_MICROS) : 0,
                  id,
                  lonely || isFirst != draw.chance(mistakes),
                  isLast);
            });
  }

  private SequenceId id(int ids, double anonymous) {
    if (draw.chance(anonymous)) {
      return SequenceId.NONE;
    }
    int id = draw.between(1, ids);
    return draw.chance(0.5) ? new SequenceId.OfNumber(id) : new SequenceId.OfString("" + id);
  }
}
