package io.nereid.server.scheduling;

import io.nereid.config.ModelConfig;
import io.nereid.request.ModelKey;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.SchedulingPolicy;

/** Where the decisions of schedulers are written down. From any thread. */
@FunctionalInterface
public interface DecisionJournal {
  /** Nowhere. */
  DecisionJournal NONE =
      (_, config, _, capacity, rule) ->
          SchedulingPolicies.of(config.scheduling(), config.maxBatchSize(), capacity, rule);

  /**
   * The policy of a new scheduler, whose decisions are written down.
   *
   * @param instances that the model has
   * @param capacity requests that may wait
   */
  SchedulingPolicy policy(
      ModelKey model, ModelConfig config, int instances, int capacity, BatchingRule rule);
}
