package io.nereid.engine.model.loading;

import io.nereid.engine.execution.InstanceLimits;
import io.nereid.engine.scheduling.policy.QueueLimits;

/**
 * The limits that all models are served within.
 *
 * @param maxPoolByteSize of the pool of a model that allocates its inputs itself
 * @param queueLimits of the requests that wait for a model; their number is a power of two
 * @param instances the limits of the instances of all models; its rate limiter is of one engine
 *     alone
 * @param latencies which are recorded beside their sums
 */
public record ServingSettings(
    long maxPoolByteSize,
    QueueLimits queueLimits,
    InstanceLimits instances,
    LatencyMetrics latencies) {}
