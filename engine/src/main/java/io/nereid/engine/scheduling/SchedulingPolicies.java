package io.nereid.engine.scheduling;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.dynamic.DynamicBatchingPolicy;
import io.nereid.engine.scheduling.policy.sequence.SequencePolicy;
import org.jspecify.annotations.Nullable;

/** The factory of the policies that a model configuration can select. */
public final class SchedulingPolicies {
  private SchedulingPolicies() {}

  /**
   * Returns the policy of a model's settings, without requests and instances.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param costs null if the cost of a batch has no limit; applies to {@code dynamic_batching} only
   * @param rule of the model; applies to {@code dynamic_batching} only
   * @throws IllegalArgumentException if the settings are those of an ensemble, which has no policy
   */
  public static SchedulingPolicy of(
      SchedulingSettings settings,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      QueueLimits limits,
      BatchingRule rule) {
    return switch (settings) {
      case SequenceSettings sequence -> new SequencePolicy(sequence, maxBatchSize, limits);
      case BatchingSettings batching ->
          new DynamicBatchingPolicy(batching, maxBatchSize, costs, limits, rule);
      case SchedulingSettings.Direct _ -> DynamicBatchingPolicy.direct(limits);
      case EnsembleSettings _ ->
          throw new IllegalArgumentException("an ensemble has no scheduling policy");
    };
  }
}
