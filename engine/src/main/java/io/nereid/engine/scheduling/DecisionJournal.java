package io.nereid.engine.scheduling;

import io.nereid.config.ModelConfig;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.request.ModelKey;

/** A factory of policies that may record their decisions. Thread-safe. */
@FunctionalInterface
public interface DecisionJournal {
  /** Records nothing. */
  DecisionJournal NONE =
      (_, config, _, limits, rule) ->
          SchedulingPolicies.of(
              config.scheduling(),
              config.maxBatchSize(),
              config.batchCost().orElse(null),
              limits,
              rule);

  /**
   * Returns the policy of a new scheduler, whose decisions are recorded.
   *
   * @param instances the number of instances of the model
   */
  SchedulingPolicy policy(
      ModelKey model, ModelConfig config, int instances, QueueLimits limits, BatchingRule rule);

  /** Called once no decision of a policy follows. */
  default void ended(SchedulingPolicy policy) {}
}
