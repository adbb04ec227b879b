package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.SchedulingPolicy;
import io.nereid.engine.scheduling.policy.dynamic.DynamicBatchingPolicy;
import io.nereid.engine.scheduling.policy.sequence.SequencePolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a simulated scheduler, and the factory of its policy and reference model.
 */
interface Configuration {
  /** A new policy under test. */
  SchedulingPolicy policy();

  /** A new reference model. */
  SchedulingPolicy reference();

  /** The limits of the queue. */
  QueueLimits limits();

  /** The maximum rows of a batch of several requests. */
  int maxRows();

  /** The limit of what a batch costs; null if there is none. */
  default @Nullable BatchCostSettings costs() {
    return null;
  }

  /** Whether a sequence has the same row in each batch. */
  default boolean hasFixedRows() {
    return false;
  }

  /** Whether requests can be rescheduled. */
  default boolean isIterative() {
    return false;
  }

  /** A sequence batcher. */
  record Sequences(SequenceSettings settings, int maxBatchSize, QueueLimits limits)
      implements Configuration {
    @Override
    public SchedulingPolicy policy() {
      return new SequencePolicy(settings, maxBatchSize, limits);
    }

    @Override
    public SchedulingPolicy reference() {
      return new ReferenceSequenceBatcher(settings, maxBatchSize, limits);
    }

    @Override
    public int maxRows() {
      return Math.max(1, maxBatchSize);
    }

    @Override
    public boolean hasFixedRows() {
      return settings.strategy() instanceof Strategy.Direct;
    }

    @Override
    public boolean isIterative() {
      return settings.iterative();
    }
  }

  /**
   * A dynamic batcher.
   *
   * @param costs null if the cost of a batch has no limit
   * @param maxWeight limit of a {@link WeightRule}; 0 for a model without a rule
   */
  record Dynamic(
      BatchingSettings settings,
      int maxBatchSize,
      @Nullable BatchCostSettings costs,
      QueueLimits limits,
      int maxWeight)
      implements Configuration {
    @Override
    public SchedulingPolicy policy() {
      BatchingRule rule = maxWeight == 0 ? BatchingRule.ALL : new WeightRule(maxWeight);
      return new DynamicBatchingPolicy(settings, maxBatchSize, costs, limits, rule);
    }

    @Override
    public SchedulingPolicy reference() {
      return new ReferenceDynamicBatcher(settings, maxBatchSize, costs, limits, maxWeight);
    }

    @Override
    public int maxRows() {
      return Math.max(1, maxBatchSize);
    }
  }

  /** A model without a scheduler: each request is a batch. */
  record Direct(QueueLimits limits) implements Configuration {
    @Override
    public SchedulingPolicy policy() {
      return DynamicBatchingPolicy.direct(limits);
    }

    @Override
    public SchedulingPolicy reference() {
      return new ReferenceDynamicBatcher(BatchingSettings.of(List.of(1), 0), 1, null, limits, 0);
    }

    @Override
    public int maxRows() {
      return 1;
    }
  }
}
