package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchCostSettings.Kind;
import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.config.QueuePolicy.TimeoutAction;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Random scenarios of dynamic batchers. */
final class DynamicScenarios {
  private static final int UNBOUNDED = 1_000;

  private final RandomSource random;

  /**
   * Whether requests arrive one by one but could be batched, which exercises the adaptive delay.
   */
  private final boolean sparse;

  private DynamicScenarios(long seed) {
    random = new RandomSource(seed);
    sparse = random.chance(0.15);
  }

  static Scenario dynamic(long seed) {
    return new DynamicScenarios(seed).dynamic();
  }

  /** Models without a scheduler. */
  static Scenario direct(long seed) {
    return new DynamicScenarios(seed).direct();
  }

  private Scenario dynamic() {
    int maxBatchSize = sparse ? 4 : random.of(0, 1, 2, 4, 8, random.between(0, 16));
    int sizes = Math.min(maxBatchSize, random.of(1, 1, 2, 3));
    List<Integer> preferred =
        (sparse || random.chance(0.3)) && maxBatchSize > 0
            ? List.of(maxBatchSize)
            : random.numbers(sizes, maxBatchSize);
    long delay = sparse ? 10 : random.of(0L, 5L, 10L, 20L, 10_000L);
    long scale = delay == 0 || delay > 100 ? 10 : delay;
    int levels = sparse ? 0 : random.of(0, 0, 1, 2, random.between(1, 4));
    Map<Long, QueuePolicy> policies = new HashMap<>();
    for (long level = 1; level <= levels; level++) {
      if (random.chance(0.4)) {
        policies.put(level, queuePolicy(scale));
      }
    }
    var settings =
        new BatchingSettings(
            preferred,
            delay,
            random.chance(0.1),
            levels,
            levels == 0 ? 0 : random.between(1, levels),
            sparse || random.chance(0.5) ? QueuePolicy.NONE : queuePolicy(scale),
            policies);
    int maxWeight = random.chance(0.8) ? 0 : random.between(1, 6);
    BatchCostSettings costs = random.chance(0.5) ? null : costs(settings.preserveOrdering(), scale);
    var configuration =
        new Configuration.Dynamic(settings, maxBatchSize, costs, limits(scale), maxWeight);
    return scenario(configuration, scale, levels);
  }

  private BatchCostSettings costs(boolean preservesOrdering, long scaleMicros) {
    return new BatchCostSettings(
        "input",
        random.of(Kind.PADDED, Kind.PADDED, Kind.SUM),
        random.between(1L, random.of(10L, 50L, 200L)),
        random.of(0, 5, 10, 25, 50, 100, 100),
        preservesOrdering ? 0 : random.of(0L, 1L, scaleMicros, 4 * scaleMicros, Long.MAX_VALUE));
  }

  private Scenario direct() {
    return scenario(new Configuration.Direct(limits(10)), 10, 0);
  }

  private Scenario scenario(Configuration configuration, long scaleMicros, int levels) {
    boolean large = !sparse && random.chance(0.5);
    boolean timeouts = random.chance(0.3);
    boolean deadlines = !sparse && random.chance(0.3);
    int keys = random.of(1, 1, 2, 3);
    int clients = random.of(1, 1, 2, 5);
    int maxRows = configuration instanceof Configuration.Direct ? 8 : configuration.maxRows();
    long priorities = levels == 0 ? 0 : levels + 1L;
    return new EventGenerator(random, scaleMicros * 1_000, sparse)
        .scenario(
            configuration,
            name ->
                new Event.Arrive(
                    name,
                    large && random.chance(0.4) ? random.between(1, maxRows) : 1,
                    "k" + random.between(1, keys),
                    random.chance(0.1),
                    random.chance(0.2) ? random.between(1L, scaleMicros * 500) : 0,
                    deadlines && random.chance(0.4) ? random.between(0, 4_000 * scaleMicros) : -1,
                    new RequestOptions(
                        SequenceId.NONE,
                        false,
                        false,
                        random.chance(0.02) ? random.of(-1L, 99L) : random.between(0L, priorities),
                        timeouts && random.chance(0.6) ? timeout(scaleMicros) : 0,
                        Map.of()),
                    "c" + random.between(1, clients)));
  }

  private QueuePolicy queuePolicy(long scaleMicros) {
    return new QueuePolicy(
        random.of(TimeoutAction.values()),
        random.chance(0.3) ? 0 : timeout(scaleMicros),
        random.chance(0.5),
        random.chance(0.6) ? 0 : random.between(1, 6));
  }

  private long timeout(long scaleMicros) {
    return random.chance(0.02)
        ? random.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE)
        : random.between(1L, 3 * scaleMicros);
  }

  private QueueLimits limits(long scaleMicros) {
    return new QueueLimits(
        random.chance(0.85) ? UNBOUNDED : random.between(1, 8),
        random.chance(0.7) ? Ticket.NEVER : random.between(1L, 4_000 * scaleMicros),
        random.chance(0.8) ? QueueLimits.SHARE : random.between(1, 4),
        QueueLimits.SHARE);
  }
}
