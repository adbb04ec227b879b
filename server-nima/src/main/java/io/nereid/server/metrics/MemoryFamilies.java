package io.nereid.server.metrics;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;

/** The memory for tensors, and what requests have of it. */
final class MemoryFamilies {
  private MemoryFamilies() {}

  /** Writes all. There is no pool of pinned memory: backends that use devices have their own. */
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
