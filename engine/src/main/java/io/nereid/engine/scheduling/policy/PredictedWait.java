package io.nereid.engine.scheduling.policy;

/**
 * The wait that is predicted for a request that is refused.
 *
 * @param nanos how long it would wait until its batch starts
 * @param limitNanos within what time its batch must start; {@code nanos} at most
 * @param requestsAhead the number of waiting requests that would be executed before it
 */
public record PredictedWait(long nanos, long limitNanos, long requestsAhead) {}
