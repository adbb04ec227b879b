/**
 * The policy of models without sequences: requests wait in queues by priority and client until a
 * batch is formed of them. As pure as {@code scheduling.policy}. Read {@link
 * io.nereid.engine.scheduling.policy.dynamic.DynamicBatchingPolicy} first.
 *
 * <pre>{@code
 * queues              PriorityQueues, FairQueue
 * instances           Instances
 * predicted waits     ServiceRate, BatchesInFlight, ExpectedRequests
 * }</pre>
 */
@NullMarked
package io.nereid.engine.scheduling.policy.dynamic;

import org.jspecify.annotations.NullMarked;
