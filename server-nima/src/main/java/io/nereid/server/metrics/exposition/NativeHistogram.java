package io.nereid.server.metrics.exposition;

import java.util.List;

/**
 * The buckets of a native histogram without negative observations: bucket {@code i} has the
 * observations above {@code base^(i-1)} up to {@code base^i}, with {@code base = 2^(2^-schema)}.
 *
 * @param zeroCount of the observations up to {@code zeroThreshold}
 * @param buckets those with observations, ascending
 */
public record NativeHistogram(
    int schema, double zeroThreshold, long zeroCount, List<Bucket> buckets) {
  /**
   * A bucket.
   *
   * @param count above 0
   */
  public record Bucket(int index, long count) {}

  public NativeHistogram {
    buckets = List.copyOf(buckets);
  }
}
