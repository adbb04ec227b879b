package io.nereid.server.telemetry.statistics;

import java.util.List;

/**
 * How long requests waited for their first response.
 *
 * @param buckets by their upper ends, ascending
 * @param count of all of them
 * @param sumNanos of all of them
 */
public record FirstResponseHistogram(List<Bucket> buckets, long count, long sumNanos) {
  /**
   * Those that did not wait longer.
   *
   * @param millis than that
   */
  public record Bucket(double millis, long count) {}

  public FirstResponseHistogram {
    buckets = List.copyOf(buckets);
  }
}
