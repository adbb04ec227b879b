package io.nereid.config;

import java.util.List;

/**
 * {@code dynamic_batching}.
 *
 * @param preferredBatchSizes in rows; never empty for a model that batches
 * @param maxQueueDelayMicros how long the oldest request may wait for a larger batch; 0 never waits
 * @param preserveOrdering responses leave in the order in which requests came
 */
public record BatchingSettings(
    List<Integer> preferredBatchSizes, long maxQueueDelayMicros, boolean preserveOrdering)
    implements SchedulingSettings {
  public BatchingSettings {
    preferredBatchSizes = List.copyOf(preferredBatchSizes);
  }
}
