package io.nereid.scheduler;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.instance.InstanceGroup;
import io.nereid.policy.BatchingRule;
import io.nereid.policy.DynamicBatchingPolicy;
import io.nereid.policy.SchedulingPolicy;
import io.nereid.policy.SequencePolicy;
import io.nereid.spi.Model;

/** The scheduler that a model's configuration asks for. */
public final class Schedulers {
  private Schedulers() {}

  /**
   * Starts a model's scheduler.
   *
   * @param model asked for its batching strategy
   * @param instances open and idle
   * @param capacity requests that may wait; a power of two
   */
  public static Scheduler start(
      ModelConfig config, Model model, InstanceGroup instances, Clock clock, int capacity) {
    BatchingRule rule =
        model.batchingStrategy().<BatchingRule>map(StrategyRule::new).orElse(BatchingRule.ALL);
    return SchedulerLoop.start(config, policy(config, rule, capacity), instances, clock, capacity);
  }

  private static SchedulingPolicy policy(ModelConfig config, BatchingRule rule, int capacity) {
    return switch (config.scheduling()) {
      case SchedulingSettings.Direct() -> DynamicBatchingPolicy.direct(capacity);
      case BatchingSettings settings ->
          new DynamicBatchingPolicy(settings, config.maxBatchSize(), capacity, rule);
      case SequenceSettings settings ->
          new SequencePolicy(settings, config.maxBatchSize(), capacity);
      case EnsembleSettings _ ->
          throw new IllegalArgumentException(
              "ensemble '%s' has no instances".formatted(config.name()));
    };
  }
}
