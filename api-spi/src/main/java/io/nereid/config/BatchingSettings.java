package io.nereid.config;

import java.util.List;
import java.util.Map;

/**
 * {@code dynamic_batching}.
 *
 * @param preferredBatchSizes in rows; never empty for a model that batches
 * @param maxQueueDelayMicros how long the oldest request may wait for a larger batch; 0 never waits
 * @param preserveOrdering responses leave in the order in which requests came
 * @param priorityLevels 1 is the highest level, this the lowest; 0: there are no levels
 * @param defaultPriorityLevel the level of a request that names none, or one that is not there
 * @param defaultQueuePolicy of all levels that have none of their own
 * @param priorityQueuePolicies by level
 */
public record BatchingSettings(
    List<Integer> preferredBatchSizes,
    long maxQueueDelayMicros,
    boolean preserveOrdering,
    long priorityLevels,
    long defaultPriorityLevel,
    QueuePolicy defaultQueuePolicy,
    Map<Long, QueuePolicy> priorityQueuePolicies)
    implements SchedulingSettings {
  public BatchingSettings {
    preferredBatchSizes = List.copyOf(preferredBatchSizes);
    priorityQueuePolicies = Map.copyOf(priorityQueuePolicies);
  }

  /** Without priority levels and queue policies, responses in any order. */
  public static BatchingSettings of(List<Integer> preferredBatchSizes, long maxQueueDelayMicros) {
    return new BatchingSettings(
        preferredBatchSizes, maxQueueDelayMicros, false, 0, 0, QueuePolicy.NONE, Map.of());
  }

  /** The policy of a level; any number if there are no levels. */
  public QueuePolicy queuePolicy(long level) {
    return priorityQueuePolicies.getOrDefault(level, defaultQueuePolicy);
  }
}
