package io.nereid.server.telemetry.statistics;

/**
 * What the responses with the same index took, the first of each request, say. A response begins
 * where the one before it ended; {@code computeInfer} and {@code computeOutput} are its parts, the
 * others the whole of it, by what became of it.
 */
public record ResponseStatistics(
    StatisticDuration computeInfer,
    StatisticDuration computeOutput,
    StatisticDuration success,
    StatisticDuration fail,
    StatisticDuration emptyResponse,
    StatisticDuration cancel) {}
