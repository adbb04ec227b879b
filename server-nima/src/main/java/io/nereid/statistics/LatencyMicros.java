package io.nereid.statistics;

/**
 * What the requests that succeeded took, in whole microseconds: each request's durations are
 * truncated before they are added.
 */
public record LatencyMicros(
    long request, long queue, long computeInput, long computeInfer, long computeOutput) {}
