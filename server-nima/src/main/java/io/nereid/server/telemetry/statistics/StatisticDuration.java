package io.nereid.server.telemetry.statistics;

/**
 * How often something happened, and how long all of it took.
 *
 * @param nanos the sum
 */
public record StatisticDuration(long count, long nanos) {
  /** It never happened. */
  public static final StatisticDuration NONE = new StatisticDuration(0, 0);
}
