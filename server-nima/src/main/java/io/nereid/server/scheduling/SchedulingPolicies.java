package io.nereid.server.scheduling;

import io.nereid.config.BatchingSettings;
import io.nereid.config.EnsembleSettings;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.DynamicBatchingPolicy;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import io.nereid.server.scheduling.policy.sequence.SequencePolicy;

/** The policy of each scheduler that a model configuration can ask for. */
public final class SchedulingPolicies {
  private SchedulingPolicies() {}

  /**
   * The policy that a model's settings ask for, without a request and without an instance.
   *
   * @param maxBatchSize of the model; 0 if it does not batch
   * @param capacity requests that may wait, whatever the settings say
   * @param rule of the model; only batches of {@code dynamic_batching} heed it
   * @throws IllegalArgumentException if the settings are an ensemble's, which has no policy
   */
  public static SchedulingPolicy of(
      SchedulingSettings settings, int maxBatchSize, int capacity, BatchingRule rule) {
    return switch (settings) {
      case SchedulingSettings.Direct() -> DynamicBatchingPolicy.direct(capacity);
      case BatchingSettings batching ->
          new DynamicBatchingPolicy(batching, maxBatchSize, capacity, rule);
      case SequenceSettings sequence -> new SequencePolicy(sequence, maxBatchSize, capacity);
      case EnsembleSettings _ ->
          throw new IllegalArgumentException("an ensemble decides nothing on its own");
    };
  }
}
