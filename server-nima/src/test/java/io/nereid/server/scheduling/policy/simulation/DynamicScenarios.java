package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.request.SequenceId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Dynamic batchers of all configurations, and what may happen to them. */
final class DynamicScenarios {
  private static final int UNBOUNDED = 1_000;

  private final Draw draw;

  /**
   * Whether this is about {@code AdaptiveDelay}: requests come one by one, but could be batched.
   */
  private final boolean lonely;

  private DynamicScenarios(long seed) {
    draw = new Draw(seed);
    lonely = draw.chance(0.15);
  }

  static Scenario dynamic(long seed) {
    return new DynamicScenarios(seed).dynamic();
  }

  /** Models without a scheduler. */
  static Scenario direct(long seed) {
    return new DynamicScenarios(seed).direct();
  }

  private Scenario dynamic() {
    int maxBatchSize = lonely ? 4 : draw.of(0, 1, 2, 4, 8, draw.between(0, 16));
    int sizes = Math.min(maxBatchSize, draw.of(1, 1, 2, 3));
    List<Integer> preferred =
        (lonely || draw.chance(0.3)) && maxBatchSize > 0
            ? List.of(maxBatchSize)
            : draw.numbers(sizes, maxBatchSize);
    long delay = lonely ? 10 : draw.of(0L, 5L, 10L, 20L, 10_000L);
    long scale = delay == 0 || delay > 100 ? 10 : delay;
    int levels = lonely ? 0 : draw.of(0, 0, 1, 2, draw.between(1, 4));
    Map<Long, QueuePolicy> policies = new HashMap<>();
    for (long level = 1; level <= levels; level++) {
      if (draw.chance(0.4)) {
        policies.put(level, queuePolicy(scale));
      }
    }
    var settings =
        new BatchingSettings(
            preferred,
            delay,
            false,
            levels,
            levels == 0 ? 0 : draw.between(1, levels),
            lonely || draw.chance(0.5) ? QueuePolicy.NONE : queuePolicy(scale),
            policies);
    int maxWeight = draw.chance(0.8) ? 0 : draw.between(1, 6);
    var subject = new DynamicSubject(settings, maxBatchSize, capacity(), maxWeight);
    return scenario(subject, scale, levels);
  }

  private Scenario direct() {
    return scenario(new DirectSubject(capacity()), 10, 0);
  }

  private Scenario scenario(Subject subject, long scaleMicros, int levels) {
    boolean large = !lonely && draw.chance(0.5);
    boolean hasty = draw.chance(0.3);
    boolean impatient = !lonely && draw.chance(0.3);
    int keys = draw.of(1, 1, 2, 3);
    int maxRows = subject instanceof DirectSubject ? 8 : subject.maxRows();
    long priorities = levels == 0 ? 0 : levels + 1L;
    return new Course(draw, scaleMicros * 1_000, lonely)
        .scenario(
            subject,
            name ->
                new Event.Arrive(
                    name,
                    large && draw.chance(0.4) ? draw.between(1, maxRows) : 1,
                    "k" + draw.between(1, keys),
                    draw.chance(0.1),
                    draw.chance(0.2) ? draw.between(1L, scaleMicros * 500) : 0,
                    impatient && draw.chance(0.4) ? draw.between(0, 4_000 * scaleMicros) : -1,
                    draw.chance(0.02) ? draw.of(-1L, 99L) : draw.between(0L, priorities),
                    hasty && draw.chance(0.6) ? timeout(scaleMicros) : 0,
                    SequenceId.NONE,
                    false,
                    false));
  }

  private QueuePolicy queuePolicy(long scaleMicros) {
    return new QueuePolicy(
        draw.of(TimeoutAction.values()),
        draw.chance(0.3) ? 0 : timeout(scaleMicros),
        draw.chance(0.5),
        draw.chance(0.6) ? 0 : draw.between(1, 6));
  }

  private long timeout(long scaleMicros) {
    return draw.chance(0.02)
        ? draw.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE)
        : draw.between(1L, 3 * scaleMicros);
  }

  private int capacity() {
    return draw.chance(0.85) ? UNBOUNDED : draw.between(1, 8);
  }
}
