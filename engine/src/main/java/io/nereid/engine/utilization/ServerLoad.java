package io.nereid.engine.utilization;

/**
 * The load of a server, smoothed over seconds. All are 0 or more.
 *
 * @param utilization how many requests an instance has at once, summed up over the models: of one
 *     model 0.5 for an instance that is busy half of the time; waits and batches raise it above 1
 * @param cpuUtilization the share of the processors that the process takes
 * @param requestsPerSecond requests that arrive at models, without those of ensembles, whose steps
 *     arrive
 * @param errorsPerSecond requests that fail by the server or a model, or are refused
 */
public record ServerLoad(
    double utilization, double cpuUtilization, double requestsPerSecond, double errorsPerSecond) {}
