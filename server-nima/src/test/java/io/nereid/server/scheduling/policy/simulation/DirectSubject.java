package io.nereid.server.scheduling.policy.simulation;

import io.nereid.config.BatchingSettings;
import io.nereid.server.scheduling.policy.DynamicBatchingPolicy;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.util.List;

/**
 * A model without a scheduler: each request is a batch.
 *
 * @param capacity requests that may wait
 */
record DirectSubject(int capacity) implements Subject {
  @Override
  public SchedulingPolicy policy() {
    return DynamicBatchingPolicy.direct(capacity);
  }

  @Override
  public SchedulingPolicy reference() {
    return new NaiveDynamicBatcher(BatchingSettings.of(List.of(1), 0), 1, capacity, 0);
  }

  @Override
  public int maxRows() {
    return 1;
  }
}
