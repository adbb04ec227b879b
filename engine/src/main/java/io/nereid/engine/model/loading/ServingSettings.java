package io.nereid.engine.model.loading;

import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.scheduling.policy.QueueLimits;

/**
 * The limits that all models are served within.
 *
 * @param maxPoolByteSize of the pool of a model that allocates its inputs itself
 * @param queueLimits of the requests that wait for a model; their number is a power of two
 * @param limiter shared by the instances of all models; of one engine alone
 * @param hostPolicies of the threads of instances
 * @param maxDetached from so many detached requests on, an instance begins no batch; at least 1
 * @param latencies which are recorded beside their sums
 */
public record ServingSettings(
    long maxPoolByteSize,
    QueueLimits queueLimits,
    RateLimiter limiter,
    HostPolicies hostPolicies,
    int maxDetached,
    LatencyMetrics latencies) {
  /** Limits of a pool and of a queue, and no others. */
  public static ServingSettings of(long maxPoolByteSize, QueueLimits queueLimits) {
    return new ServingSettings(
        maxPoolByteSize,
        queueLimits,
        RateLimiter.OFF,
        HostPolicies.NONE,
        InstanceGroup.MAX_DETACHED,
        LatencyMetrics.NONE);
  }

  /** These limits with a rate limiter. */
  public ServingSettings withLimiter(RateLimiter newLimiter) {
    return new ServingSettings(
        maxPoolByteSize, queueLimits, newLimiter, hostPolicies, maxDetached, latencies);
  }
}
