package io.nereid.server.telemetry.statistics;

/**
 * What requests took. All but {@code fail} are of those that succeeded. What an execution computed
 * for is charged to each of its requests in full.
 *
 * @param success from arrival to answer
 * @param fail from arrival to failure
 * @param queue from arrival to the start of the execution
 */
public record RequestStatistics(
    StatisticDuration success,
    StatisticDuration fail,
    StatisticDuration queue,
    StatisticDuration computeInput,
    StatisticDuration computeInfer,
    StatisticDuration computeOutput) {}
