package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Random scenarios of sequence batchers. */
final class SequenceScenarios {
  private static final int SCALE_MICROS = 10;

  private final RandomSource random;
  private final boolean sparse;

  /** The ids of the sequences that the clients have started and not ended. */
  private final Set<SequenceId> live = new HashSet<>();

  private SequenceScenarios(long seed) {
    random = new RandomSource(seed);
    sparse = random.chance(0.15);
  }

  static Scenario direct(long seed) {
    return new SequenceScenarios(seed).direct();
  }

  static Scenario oldest(long seed) {
    return new SequenceScenarios(seed).oldest();
  }

  private Scenario direct() {
    double utilization = random.of(0.0, 0.25, 1 / 3.0, 0.5, 0.75, 1.0);
    return scenario(new Strategy.Direct(delay(), utilization), random.between(0, 5));
  }

  private Scenario oldest() {
    int maxBatchSize = sparse ? 4 : random.between(0, 5);
    int sizes = Math.min(maxBatchSize, random.of(1, 1, 2));
    List<Integer> preferred =
        sparse || (random.chance(0.3) && maxBatchSize > 0)
            ? List.of(maxBatchSize)
            : random.numbers(sizes, maxBatchSize);
    return scenario(
        new Strategy.Oldest(random.between(0, 5), preferred, delay(), false), maxBatchSize);
  }

  private long delay() {
    return sparse ? SCALE_MICROS : random.of(0L, 0L, 5L, 10L, 1_000L);
  }

  private Scenario scenario(Strategy strategy, int maxBatchSize) {
    boolean iterative = random.chance(0.3);
    long idle = random.of(15L, 30L, 100L, 1_000_000L);
    var settings = new SequenceSettings(idle, List.of(), strategy, List.of(), iterative);
    var limits =
        new QueueLimits(
            random.chance(0.85) ? 1_000 : random.between(1, 8),
            random.chance(0.7) ? Ticket.NEVER : random.between(1L, 8_000L * SCALE_MICROS),
            QueueLimits.SHARE,
            random.chance(0.7) ? QueueLimits.SHARE : random.between(1, 4));
    int clients = random.of(1, 2, 4);
    int ids = random.of(1, 2, 4, 8, 12);
    double anonymous = iterative ? 0.5 : 0.01;
    double end = sparse ? 0 : random.of(0.05, 0.3, 0.6);
    double restarts = random.of(0.0, 0.02, 0.3);
    boolean timeouts = random.chance(0.4);
    boolean deadlines = !sparse && random.chance(0.3);
    int keys = sparse ? 1 : random.of(1, 1, 2);
    return new EventGenerator(random, SCALE_MICROS * 1_000, sparse)
        .scenario(
            new Configuration.Sequences(settings, maxBatchSize, limits),
            name -> {
              SequenceId id = id(ids, anonymous);
              boolean named = !id.equals(SequenceId.NONE);
              boolean isFirst = named && live.add(id);
              boolean isLast = named && random.chance(end);
              if (isLast) {
                live.remove(id);
              }
              return new Event.Arrive(
                  name,
                  random.chance(0.01) ? 2 : 1,
                  "k" + random.between(1, keys),
                  random.chance(0.1),
                  random.chance(0.2) ? random.between(1L, SCALE_MICROS * 500) : 0,
                  deadlines && random.chance(0.2) ? random.between(0, SCALE_MICROS * 4_000) : -1,
                  new RequestOptions(
                      id,
                      sparse || isFirst != random.chance(restarts),
                      isLast,
                      0,
                      timeouts && random.chance(0.4) ? random.between(1, 3 * SCALE_MICROS) : 0,
                      Map.of()),
                  "c" + random.between(1, clients));
            });
  }

  private SequenceId id(int ids, double anonymous) {
    if (random.chance(anonymous)) {
      return SequenceId.NONE;
    }
    int id = random.between(1, ids);
    return random.chance(0.5) ? new SequenceId.OfNumber(id) : new SequenceId.OfString("" + id);
  }
}
