package io.nereid.server.metrics;

import io.nereid.engine.cache.ResponseCaching;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.spi.cache.CacheMetrics;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** The gauges of the server's response cache, under Triton's metric names. */
final class CacheFamilies {
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private CacheFamilies() {}

  static void write(MetricWriter writer, ResponseCaching caching) {
    CacheMetrics metrics = caching.metrics();
    writer.gauge(
        "nv_cache_util",
        "Cache utilization [0.0 - 1.0]",
        new BigDecimal(metrics.utilization(), DIGITS));
    writer.gauge(
        "nv_cache_num_entries", "Number of responses stored in response cache", metrics.entries());
    writer.gauge("nv_cache_num_hits", "Number of cache hits in response cache", metrics.hits());
    writer.gauge(
        "nv_cache_num_misses", "Number of cache misses in response cache", metrics.misses());
    writer.gauge(
        "nv_cache_num_lookups",
        "Number of cache lookups in response cache",
        metrics.hits() + metrics.misses());
    writer.gauge(
        "nv_cache_num_evictions",
        "Number of cache evictions in response cache",
        metrics.evictions());
    writer.gauge(
        "nv_cache_lookup_duration",
        "Total cache lookup duration (hit and miss), in microseconds",
        caching.lookUpMicros());
    writer.gauge(
        "nv_cache_insertion_duration",
        "Total cache insertion duration, in microseconds",
        caching.insertionMicros());
  }
}
