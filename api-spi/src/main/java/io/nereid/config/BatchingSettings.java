package io.nereid.config;

import java.util.List;
import java.util.Map;

/**
 * {@code dynamic_batching}: requests are combined into batches as they arrive.
 *
 * @param preferredBatchSizes in rows; never empty for a model that batches
 * @param maxQueueDelayMicros how long the oldest request may wait for a larger batch; 0 to dispatch
 *     at once
 * @param preserveOrdering whether responses are sent in the order in which requests arrived
 * @param priorityLevels number of levels, of which 1 is the highest; 0 for none
 * @param defaultPriorityLevel level of a request that names none or an unknown one
 * @param defaultQueuePolicy policy of every level without an entry in {@code priorityQueuePolicies}
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

  /** Settings without priority levels and queue limits; responses may overtake each other. */
  public static BatchingSettings of(List<Integer> preferredBatchSizes, long maxQueueDelayMicros) {
    return new BatchingSettings(
        preferredBatchSizes, maxQueueDelayMicros, false, 0, 0, QueuePolicy.NONE, Map.of());
  }

  /** The queue policy of {@code level}, which may be any number if there are no levels. */
  public QueuePolicy queuePolicy(long level) {
    return priorityQueuePolicies.getOrDefault(level, defaultQueuePolicy);
  }
}
