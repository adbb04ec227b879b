package io.nereid.server.metrics;

import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot.VersionState;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.spi.cache.CacheMetrics;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.TreeMap;

/** What concerns no single inference: the build, the life of models, memory, logs and traces. */
final class ServerFamilies {
  private static final MathContext DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);

  private ServerFamilies() {}

  static void write(MetricWriter writer, ServerStatus server) {
    writer.gauge("nereid_build_info", "The version of the server and of its Java; always 1");
    writer.sample(
        Labels.of("version", server.version()).with("java", Runtime.version().toString()), 1);
    writer.gauge(
        "nereid_server_ready",
        "Whether the server is ready, as /v2/health/ready answers",
        server.isReady() ? 1 : 0);
    if (!server.expiries().isEmpty()) {
      writer.gauge(
          "nereid_certificate_expiry_timestamp_seconds",
          "When the first certificate of a listener expires, in seconds since 1970");
      new TreeMap<>(server.expiries())
          .forEach((listener, expiry) ->
              writer.sample(Labels.of("listener", listener), expiry.getEpochSecond()));
    }
    writer.counter(
        "nereid_log_lost_lines_total",
        "Lines of the log that could not be written",
        server.lostLogLines());
  }

  static void write(MetricWriter writer, AccessLog log) {
    writer.counter(
        "nereid_access_log_lines_total",
        "Lines of the access log that were written",
        log.written());
    writer.counter("nereid_access_log_lost_total", "Lines of the access log that were lost");
    writer.sample(Labels.of("reason", "queue_full"), log.unqueued());
    writer.sample(Labels.of("reason", "write_failed"), log.unwritten());
  }

  static void write(MetricWriter writer, TraceSink traces) {
    TraceSink.Dropped dropped = traces.dropped();
    writer.counter(
        "nereid_trace_dropped_total",
        "Traces that were not written, or spans that were not sent: too many waited, or it failed");
    writer.sample(Labels.of("what", dropped.what()), dropped.count());
  }

  /** The states of models, and how often they were loaded and unloaded. */
  static void write(MetricWriter writer, LifeCycleSnapshot models) {
    writer.gauge("nereid_model_state", "The state of a model version, as a label; always 1");
    for (VersionState version : models.states()) {
      Labels labels =
          Labels.of("model", version.model())
              .with(
                  "version",
                  version.version().isPresent() ? Long.toString(version.version().getAsLong()) : "")
              .with("state", version.state());
      if (!version.namespace().isEmpty()) {
        labels = labels.with("namespace", version.namespace());
      }
      writer.sample(labels, 1);
    }
    writer.counter(
        "nereid_model_loads_total", "Model versions that were loaded or reloaded, or failed to");
    writer.sample(Labels.of("outcome", "success"), models.loads());
    writer.sample(Labels.of("outcome", "failure"), models.failedLoads());
    writer.counter(
        "nereid_model_unloads_total",
        "Model versions that were unloaded or replaced by a reload",
        models.unloads());
  }

  /** The server's response cache, under Triton's metric names. */
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

  /**
   * The memory for tensors, and what requests have of it. There is no pool of pinned memory:
   * backends that use devices have their own.
   */
  static void write(MetricWriter writer, BufferPool pool, RequestMemory requests) {
    long free = pool.freeBytes(); // before what is held, which is not less than
    long held = pool.heldBytes();
    writer.gauge(
        "nereid_pool_outstanding_leases",
        "Outstanding leases of tensor memory; 0 when nothing is in flight",
        pool.outstanding());
    writer.gauge(
        "nereid_pool_held_bytes", "Tensor memory allocated from the system, leased or free", held);
    writer.gauge(
        "nereid_pool_leased_bytes", "Tensor memory that is leased", Math.max(0, held - free));
    writer.gauge("nereid_pool_free_bytes", "Tensor memory that is kept for the next lease", free);
    writer.gauge(
        "nereid_pool_limit_bytes",
        "The most tensor memory that is allocated from the system",
        pool.maxByteSize());
    writer.counter(
        "nereid_pool_refused_leases_total",
        "Leases refused because tensor memory was exhausted",
        pool.refusedLeases());
    writer.gauge(
        "nereid_request_memory_bytes",
        "Tensor memory of requests that are received, queued or executed",
        requests.usedBytes());
    writer.gauge(
        "nereid_request_memory_limit_bytes",
        "The most tensor memory for requests",
        requests.limitBytes());
    writer.counter(
        "nereid_request_memory_refused_total",
        "Leases refused because the memory of all requests, or a client's share, was exhausted");
    writer.sample(Labels.of("limit", "client"), requests.refusedForClient());
    writer.sample(Labels.of("limit", "server"), requests.refusedForServer());
    writer.gauge(
        "nv_pinned_memory_pool_total_bytes", "Pinned memory pool total memory size, in bytes", 0);
    writer.gauge(
        "nv_pinned_memory_pool_used_bytes", "Pinned memory pool used memory size, in bytes", 0);
  }
}
