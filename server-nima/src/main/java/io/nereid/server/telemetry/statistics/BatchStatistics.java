package io.nereid.server.telemetry.statistics;

/** What the executions of one batch size took; the three counts are the executions. */
public record BatchStatistics(
    StatisticDuration computeInput,
    StatisticDuration computeInfer,
    StatisticDuration computeOutput) {}
