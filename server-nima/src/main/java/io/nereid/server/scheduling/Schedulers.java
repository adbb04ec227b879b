package io.nereid.server.scheduling;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.execution.InstanceGroup;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import io.nereid.spi.Model;

/** The scheduler that a model's configuration asks for. */
public final class Schedulers {
  private Schedulers() {}

  /**
   * Starts a model's scheduler.
   *
   * @param model asked for its batching strategy
   * @param instances open and resting
   * @param capacity requests that may wait; a power of two
   * @param journal where its decisions are written down
   */
  public static SchedulerLoop start(
      ModelKey key,
      ModelConfig config,
      Model model,
      InstanceGroup instances,
      Clock clock,
      int capacity,
      DecisionJournal journal) {
    BatchingRule rule =
        model.batchingStrategy().<BatchingRule>map(StrategyRule::new).orElse(BatchingRule.ALL);
    SchedulingPolicy policy = journal.policy(key, config, instances.size(), capacity, rule);
    return SchedulerLoop.start(config, policy, instances, clock, capacity);
  }
}
