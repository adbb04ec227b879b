package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.DynamicBatchingPolicy;
import io.nereid.server.scheduling.policy.SchedulingPolicy;

/**
 * A dynamic batcher.
 *
 * @param capacity requests that may wait
 * @param maxWeight limit of a {@link WeightRule}; 0: the model has no rule of its own
 */
record DynamicSubject(BatchingSettings settings, int maxBatchSize, int capacity, int maxWeight)
    implements Subject {
  @Override
  public SchedulingPolicy policy() {
    BatchingRule rule = maxWeight == 0 ? BatchingRule.ALL : new WeightRule(maxWeight);
    return new DynamicBatchingPolicy(settings, maxBatchSize, capacity, rule);
  }

  @Override
  public SchedulingPolicy reference() {
    return new NaiveDynamicBatcher(settings, maxBatchSize, capacity, maxWeight);
  }

  @Override
  public int maxRows() {
    return Math.max(1, maxBatchSize);
  }
}
