package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import io.nereid.server.scheduling.policy.sequence.SequencePolicy;

/**
 * A sequence batcher.
 *
 * @param capacity requests that may wait
 */
record SequenceSubject(SequenceSettings settings, int maxBatchSize, int capacity)
    implements Subject {
  @Override
  public SchedulingPolicy policy() {
    return new SequencePolicy(settings, maxBatchSize, capacity);
  }

  @Override
  public SchedulingPolicy reference() {
    return new NaiveSequenceBatcher(settings, maxBatchSize, capacity);
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
